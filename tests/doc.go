// Package tests holds the tests that are about the whole tree: what is
// generated, what is imported, what compiles, and the list of public reports.
package tests
