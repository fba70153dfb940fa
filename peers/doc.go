// Package peers compares the field packages with the libraries that Go
// programs use for the same arithmetic: what they compute, in differential
// tests, and how long they take, in benchmarks. It is a module of its own, so
// that no user of the field packages depends on those libraries.
//
// The tests run with `go test work` from the root of the repository, and the
// table of speeds comes from `go run ./peers/ratio`.
package peers
