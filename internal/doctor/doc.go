// Package doctor tries one by one what sbinit needs of a kernel and a container, and
// says of each lack what it costs and how to give it: `sbinit doctor`. A version or a
// profile promises little, so what can be tried is tried; nothing that is tried stays.
package doctor
