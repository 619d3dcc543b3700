package signdoc

/*
#include <stdlib.h>
#include <signdoc.h>
*/
import "C"

import (
	"io"
	"unsafe"
)

// Evidence is what goes into an evidence bundle.
type Evidence struct {
	// Signed is the signed PDF or SEID-SDO file.
	Signed Document
	// Original is what was sent.
	Original *Document
	// Items are certificates, OCSP answers and lists of revoked certificates.
	Items []Document
	// Trust are certificates (PEM or DER) at which chains may end, for the report; timestamps use
	// them as well where TimestampTrust is empty.
	Trust, TimestampTrust []Document
	// Options are pairs of key and value, such as {"order", `{"signed_sha256": "..."}`} or
	// {"tsa_url", "https://tsa.example"}; signdoc_bundle_options_set in signdoc.h describes them all.
	Options [][2]string
}

// Bundle writes an evidence bundle, one file that Verify checks in one call, and gives what that
// says of it. It asks the timestamp authority of "tsa_url" and nobody else.
func Bundle(evidence Evidence, to string) (*Report, error) {
	var keep keeper
	defer keep.free()
	options := C.signdoc_bundle_options_new()
	keep.later(func() { C.signdoc_bundle_options_free(options) })
	files := map[string][]Document{
		"signed": {evidence.Signed}, "evidence": evidence.Items,
		"trust": evidence.Trust, "timestamp_trust": evidence.TimestampTrust,
	}
	if evidence.Original != nil {
		files["original"] = []Document{*evidence.Original}
	}
	for key, all := range files {
		for _, file := range all {
			if err := keep.part(options, key, file); err != nil {
				return nil, err
			}
		}
	}
	for _, pair := range evidence.Options {
		if err := keep.word(options, pair[0], pair[1]); err != nil {
			return nil, err
		}
	}
	var found *C.signdoc_report
	var failure *C.signdoc_error
	code := C.signdoc_bundle(options, keep.text(to), &found, &failure)
	if err := taken(code, failure); err != nil {
		return nil, err
	}
	defer C.signdoc_report_free(found)
	return reportOf(found), nil
}

func (k *keeper) word(options *C.signdoc_bundle_options, key, value string) error {
	name, text := C.CString(key), C.CString(value)
	defer C.free(unsafe.Pointer(name))
	defer C.free(unsafe.Pointer(text))
	var failure *C.signdoc_error
	code := C.signdoc_bundle_options_set(options, name, text, &failure)
	return taken(code, failure)
}

func (k *keeper) part(options *C.signdoc_bundle_options, key string, file Document) error {
	if file.reader != nil {
		data, err := io.ReadAll(file.reader)
		if err != nil {
			return err
		}
		file = Bytes(data, "")
	}
	if file.data == nil {
		return k.word(options, key, file.path)
	}
	// C keeps the pointer until the options are freed, so the bytes must not be Go's.
	data := C.CBytes(file.data)
	k.later(func() { C.free(data) })
	var failure *C.signdoc_error
	code := C.signdoc_bundle_options_set_bytes(options, k.text(key), data, C.size_t(len(file.data)), &failure)
	return taken(code, failure)
}
