// Command convert converts PDF files to PDF/A-2B and tells what came of each.
//
//	export SIGNDOC_ISSUER=https://... SIGNDOC_CLIENT_ID=... SIGNDOC_CLIENT_SECRET=...
//	go run ./examples/convert converted loan.pdf terms.pdf
//
// The exit status is 0 when all documents were converted, 8 when some were not, 130 after Ctrl-C,
// 2 for a wrong command line or configuration, and 1 for any other failure.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"signdoc"
)

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	if len(args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: convert FOLDER FILE...")
		return 2
	}
	client, err := signdoc.FromEnv()
	if err != nil {
		return tell(err)
	}
	defer client.Close()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	documents := []signdoc.Document{}
	for _, path := range args[1:] {
		documents = append(documents, signdoc.File(path))
	}
	results, err := client.ConvertMany(ctx, documents, signdoc.ConvertOptions{To: args[0]})
	if err != nil {
		return tell(err)
	}
	failed := 0
	for _, result := range results {
		fmt.Printf("%-24s %-40s", filepath.Base(args[result.Index+1]), result.Path)
		for _, warning := range result.Warnings {
			fmt.Print(" ", warning.Name)
		}
		for _, reason := range result.Errors {
			fmt.Print(" error ", reason.Name)
		}
		if result.Failure != nil {
			fmt.Print(" error ", result.Failure)
		}
		fmt.Println()
		if result.Failed {
			failed++
		}
	}
	fmt.Printf("\n%d of %d documents converted\n", len(results)-failed, len(results))
	if failed > 0 {
		return 8
	}
	return 0
}

// tell prints a failure, and gives what the program should exit with.
func tell(err error) int {
	fmt.Fprintln(os.Stderr, "error:", err)
	var told *signdoc.Error
	if errors.As(err, &told) {
		fmt.Fprintln(os.Stderr, "  what to do:", told.Advice)
		fmt.Fprintf(os.Stderr, "  %s, number %d\n", told.Constant, told.Code)
		switch told.Code {
		case signdoc.CodeMissingOption, signdoc.CodeInvalidOption, signdoc.CodeInsecureUrl, signdoc.CodeMissingSecret:
			return 2
		}
	}
	if errors.Is(err, context.Canceled) {
		return 130
	}
	return 1
}
