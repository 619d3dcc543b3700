package signdoc

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// conversionCase is one of tests/vectors/conversion.json, whose README explains the keys.
type conversionCase struct {
	setting
	Call      string
	Documents []struct {
		Sample, Bytes, Path string
		Size                int
	}
	Count       int
	AllowSigned bool   `json:"allow_signed"`
	PDFSpec     string `json:"pdf_spec"`
	To          string
	Strict      *bool
	Expect      struct {
		Error    map[string]any
		Details  map[string]any
		Message  []string
		Results  []map[string]any
		Specs    []string
		Requests map[string]int
		Sent     []map[string]any `json:"sent_documents"`
	}
}

func TestConversionVectors(t *testing.T) {
	eachCase(t, "conversion", func(t *testing.T, server *sandbox, one conversionCase) { one.run(t, server) })
}

func (c *conversionCase) run(t *testing.T, server *sandbox) {
	results, specs, err := c.called(t, server)
	if err != nil {
		results = checkTold(t, err, c.Expect.Error, c.Expect.Details, c.Expect.Message).Results
	} else if c.Expect.Error != nil {
		t.Error("no error came")
	}
	if c.Expect.Specs != nil && !reflect.DeepEqual(specs, c.Expect.Specs) {
		t.Error(specs)
	}
	if c.Expect.Results != nil {
		c.checkResults(t, results)
	}
	if c.Expect.Sent != nil {
		sameDocuments(t, c.Expect.Sent, server.sent(convertPath))
	}
	if c.Expect.Requests != nil {
		counts := server.requests()
		for request := range counts {
			if _, named := c.Expect.Requests[request]; !named && !strings.Contains(request, " /signdoc/") {
				delete(counts, request)
			}
		}
		if !reflect.DeepEqual(counts, c.Expect.Requests) {
			t.Error(counts)
		}
	}
}

func (c *conversionCase) called(t *testing.T, server *sandbox) ([]Conversion, []string, error) {
	client, err := New(server.options(c.Options))
	if err != nil {
		return nil, nil, err
	}
	defer client.Close()
	if c.Call == "specs" {
		specs, err := client.ConversionSpecs(context.Background(), CallOptions{})
		return nil, specs, err
	}
	options := ConvertOptions{Lenient: c.Strict != nil && !*c.Strict, PDFSpec: c.PDFSpec}
	if c.To == "folder" {
		options.To = filepath.Join(t.TempDir(), "out")
	}
	convert := client.Convert
	if c.Call == "convert_many" {
		convert = client.ConvertMany
	}
	results, err := convert(context.Background(), c.documents(t), options)
	return results, nil, err
}

func (c *conversionCase) documents(t *testing.T) []Document {
	empty := t.TempDir()
	made := []Document{}
	for _, one := range c.Documents {
		var document Document
		switch {
		case one.Sample != "":
			document = File(filepath.Join(os.Getenv("SAMPLES"), one.Sample))
		case one.Path != "":
			document = File(filepath.Join(empty, one.Path))
		default:
			content := []byte(one.Bytes)
			if one.Size > len(content) {
				content = append(content, bytes.Repeat([]byte(" "), one.Size-len(content))...)
			}
			document = Bytes(content, "")
		}
		if c.AllowSigned {
			document = document.AllowSigned()
		}
		made = append(made, document)
	}
	for len(made) < c.Count {
		made = append(made, made[0])
	}
	return made
}

// checkTold compares what an error tells with what is expected of it.
func checkTold(t *testing.T, err error, expected, details map[string]any, message []string) *Error {
	t.Helper()
	var told *Error
	if !errors.As(err, &told) {
		t.Fatalf("%v is no *Error", err)
	}
	if expected == nil {
		t.Fatalf("an error came: %+v", told)
	}
	found := map[string]any{
		"code": float64(told.Code), "name": told.Name, "origin": told.Origin, "category": told.Category,
		"retryable": told.Retryable, "http_status": float64(told.HTTPStatus), "reference": told.Reference,
		"retry_after": told.RetryAfter.Seconds(),
	}
	if told.HTTPStatus == 0 {
		found["http_status"] = nil
	}
	if told.Reference == "" {
		found["reference"] = nil
	}
	for key, wanted := range expected {
		// The class is Python's.
		if key != "class" && !reflect.DeepEqual(found[key], wanted) {
			t.Errorf("%s is %v, not %v: %+v", key, found[key], wanted, told)
		}
	}
	for key, wanted := range details {
		if !reflect.DeepEqual(told.Details[key], wanted) {
			t.Errorf("details.%s is %v, not %v", key, told.Details[key], wanted)
		}
	}
	for _, part := range message {
		if !strings.Contains(told.Message, part) {
			t.Errorf("%q is not in %q", part, told.Message)
		}
	}
	return told
}

func (c *conversionCase) checkResults(t *testing.T, results []Conversion) {
	if len(results) != len(c.Expect.Results) {
		t.Fatalf("%d results: %+v", len(results), results)
	}
	for i, expected := range c.Expect.Results {
		one := results[i]
		data := one.Data
		if one.Path != "" {
			var err error
			if data, err = os.ReadFile(one.Path); err != nil {
				t.Error(err)
			}
		}
		found := map[string]any{
			"converted": one.Converted, "bytes": bytes.HasPrefix(data, []byte("%PDF-")),
			"warnings": names(one.Warnings), "errors": names(one.Errors),
		}
		for key, wanted := range expected {
			if !reflect.DeepEqual(found[key], wanted) {
				t.Errorf("results[%d].%s is %v, not %v", i, key, found[key], wanted)
			}
		}
	}
}

func names(remarks []Remark) []any {
	found := []any{}
	for _, one := range remarks {
		found = append(found, one.Name)
	}
	return found
}
