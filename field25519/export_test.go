package field25519

// EachPath gives the tests outside of the package the choice of a path.
var EachPath = eachPath
