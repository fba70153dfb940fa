package object

// Parse is parse, for tests.
var Parse = parse
