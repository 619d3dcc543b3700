package signdoc

/*
#include <stdlib.h>
#include <signdoc.h>
*/
import "C"

import (
	"io"
	"runtime"
	"unsafe"
)

// Question is what is asked about signed files. Without trust nothing verifies.
type Question struct {
	// Original is what was sent.
	Original *Document
	// Trust are certificates (PEM or DER) at which chains may end; timestamps use them as well
	// where TimestampTrust is empty.
	Trust, TimestampTrust []Document
	// Options are pairs of key and value, such as {"signer", "name=Kari Nordmann"} or {"require",
	// "timestamp"}; signdoc_verify_options_set in signdoc.h describes them all.
	Options [][2]string
}

// Check is one thing that was looked at.
type Check struct {
	Name string
	// Status is "passed", "failed" or "not_checked".
	Status string
	Detail string
}

// Signature is who signed, as the certificate says, and the PAdES level that is reached. Whether
// the certificate is trusted, the checks tell.
type Signature struct {
	Signer, Level string
}

// Report is what a verification found.
type Report struct {
	// OK says that everything that counts was looked at and holds.
	OK         bool
	Checks     []Check
	Signatures []Signature
	// Problem is what matters most of what is wrong; nil where the report is good.
	Problem *Error
	JSON    string
	found   *foundReport
}

// foundReport is the library's own, which makes pages of it; freed with the last Report.
type foundReport struct{ handle *C.signdoc_report }

// HTML is the report as a page for people: one file without scripts, which loads nothing. It shows
// names of people, not their numbers. Title is what the page is called, for instance the name of
// the file; it may be empty.
func (r *Report) HTML(title string) (string, error) {
	if r.found == nil {
		return "", own(CodeInvalidArgument, "the report was not made by Verify", nil)
	}
	defer runtime.KeepAlive(r.found)
	var called *C.char
	if title != "" {
		called = C.CString(title)
		defer C.free(unsafe.Pointer(called))
	}
	var page C.signdoc_buffer
	var failure *C.signdoc_error
	code := C.signdoc_report_html(r.found.handle, called, &page, &failure)
	if err := taken(code, failure); err != nil {
		return "", err
	}
	defer C.signdoc_buffer_free(&page)
	return C.GoStringN((*C.char)(unsafe.Pointer(page.ptr)), C.int(page.len)), nil
}

// Status is how the check of this name ended; "not_checked" where there is none.
func (r *Report) Status(name string) string {
	for _, check := range r.Checks {
		if check.Name == name {
			return check.Status
		}
	}
	return "not_checked"
}

// Verify looks at a signed PDF or SEID-SDO file, or an evidence bundle of one, offline. Several files are the results of serial
// sessions, the first one first. What the files contain is in the report, never an error.
func Verify(files []Document, question Question) (*Report, error) {
	var keep keeper
	defer keep.free()
	given, err := keep.documents(files, &caught{})
	if err != nil {
		return nil, err
	}
	options := C.signdoc_verify_options_new()
	keep.later(func() { C.signdoc_verify_options_free(options) })
	if question.Original != nil {
		if err := keep.file(options, "original", *question.Original); err != nil {
			return nil, err
		}
	}
	for key, files := range map[string][]Document{"trust": question.Trust, "timestamp_trust": question.TimestampTrust} {
		for _, file := range files {
			if err := keep.file(options, key, file); err != nil {
				return nil, err
			}
		}
	}
	for _, pair := range question.Options {
		if err := keep.option(options, pair[0], pair[1]); err != nil {
			return nil, err
		}
	}
	var found *C.signdoc_report
	var failure *C.signdoc_error
	code := C.signdoc_verify(given, options, &found, &failure)
	if err := taken(code, failure); err != nil {
		return nil, err
	}
	return reportOf(found), nil
}

func (k *keeper) option(options *C.signdoc_verify_options, key, value string) error {
	name, text := C.CString(key), C.CString(value)
	defer C.free(unsafe.Pointer(name))
	defer C.free(unsafe.Pointer(text))
	var failure *C.signdoc_error
	code := C.signdoc_verify_options_set(options, name, text, &failure)
	return taken(code, failure)
}

func (k *keeper) file(options *C.signdoc_verify_options, key string, file Document) error {
	if file.reader != nil {
		data, err := io.ReadAll(file.reader)
		if err != nil {
			return err
		}
		file = Bytes(data, "")
	}
	if file.data == nil {
		return k.option(options, key, file.path)
	}
	// C keeps the pointer until the options are freed, so the bytes must not be Go's.
	data := C.CBytes(file.data)
	k.later(func() { C.free(data) })
	var failure *C.signdoc_error
	code := C.signdoc_verify_options_set_bytes(options, k.text(key), data, C.size_t(len(file.data)), &failure)
	return taken(code, failure)
}

func reportOf(found *C.signdoc_report) *Report {
	report := &Report{
		OK:      C.signdoc_report_ok(found) != 0,
		Problem: errorOf(C.signdoc_report_problem(found)),
		JSON:    C.GoString(C.signdoc_report_json(found)),
		found:   &foundReport{found},
	}
	runtime.SetFinalizer(report.found, func(found *foundReport) { C.signdoc_report_free(found.handle) })
	for i := C.size_t(0); i < C.signdoc_report_check_count(found); i++ {
		report.Checks = append(report.Checks, Check{
			Name:   C.GoString(C.signdoc_report_check_name(found, i)),
			Status: C.GoString(C.signdoc_report_check_status(found, i)),
			Detail: C.GoString(C.signdoc_report_check_detail(found, i)),
		})
	}
	for i := C.size_t(0); i < C.signdoc_report_signature_count(found); i++ {
		report.Signatures = append(report.Signatures, Signature{
			Signer: C.GoString(C.signdoc_report_signature_signer(found, i)),
			Level:  C.GoString(C.signdoc_report_signature_level(found, i)),
		})
	}
	return report
}

// Finding is one thing that the service will refuse a document for, or its conversion warn about.
type Finding struct {
	Code string
	// Severity is "error" where the service will refuse the document.
	Severity        string
	Message, Remedy string
}

// Preflight looks a document over before it is sent, offline; refused says whether the service will
// refuse it.
func Preflight(document Document) (findings []Finding, refused bool, err error) {
	var keep keeper
	defer keep.free()
	given, err := keep.documents([]Document{document}, &caught{})
	if err != nil {
		return nil, false, err
	}
	var found *C.signdoc_findings
	var failure *C.signdoc_error
	code := C.signdoc_preflight(given, &found, &failure)
	if err := taken(code, failure); err != nil {
		return nil, false, err
	}
	defer C.signdoc_findings_free(found)
	for i := C.size_t(0); i < C.signdoc_findings_count(found); i++ {
		findings = append(findings, Finding{
			Code:     C.GoString(C.signdoc_findings_code(found, i)),
			Severity: C.GoString(C.signdoc_findings_severity(found, i)),
			Message:  C.GoString(C.signdoc_findings_message(found, i)),
			Remedy:   C.GoString(C.signdoc_findings_remedy(found, i)),
		})
	}
	return findings, C.signdoc_findings_refused(found) != 0, nil
}
