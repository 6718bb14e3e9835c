package first

const prlimit64 = 302
