// This file lets the compiler accept a function without a body in first.go.
