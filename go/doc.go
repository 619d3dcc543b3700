// Package signdoc is the client of the signing service for Go, over libsigndoc (cgo).
//
//	client, err := signdoc.FromEnv() // SIGNDOC_ISSUER, SIGNDOC_CLIENT_ID, SIGNDOC_CLIENT_SECRET
//	if err != nil { ... }
//	defer client.Close()
//	results, err := client.Convert(ctx, []signdoc.Document{signdoc.File("loan.pdf")},
//		signdoc.ConvertOptions{To: "converted"})
//
// The library is found by pkg-config: build with PKG_CONFIG_PATH=PREFIX/lib/pkgconfig where it is
// installed elsewhere than in the system's places.
//
// Every error is an *Error for errors.As, with the numbers of docs/errors.md. A context that is
// done ends its call within 100 milliseconds; errors.Is(err, context.Canceled) holds then.
// Functions and readers that are given to a call run on the goroutine that makes it, and on no
// other. A Client may be used by any number of goroutines; the process must not fork without exec.
package signdoc
