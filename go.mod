module github.com/seed-6f9cd256/fieldproof

go 1.26.0

require (
	golang.org/x/arch v0.33.0
	golang.org/x/sys v0.50.0
	pgregory.net/rapid v1.3.0
)
