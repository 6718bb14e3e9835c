// Package validate tests the files of deploy/compose and deploy/kubernetes against the types and the schema of those who
// read them: Kubernetes' own Go types, decoded strictly, and the loader of Docker Compose.
//
// It is a module of its own, so that sbinit's does not require theirs. `make manifests` runs it.
package validate
