package signdoc

// Functions for C to call, and calls that give them to C. They stand apart from the functions
// themselves (callbacks.go): a file that exports functions may not define any in C.

/*
#cgo pkg-config: signdoc
#include <stdlib.h>
#include <signdoc.h>

int64_t signdocGoRead(void *context, void *buffer, size_t room);
int32_t signdocGoWrite(void *context, size_t index, void *bytes, size_t len);
int32_t signdocGoResult(void *context, size_t index, void *result);
int32_t signdocGoProgress(void *context, uint64_t to_send, uint64_t sent, uint64_t received);
int32_t signdocGoLog(void *context, int32_t level, char *id, char *message);

static int32_t bridge_write(void *context, size_t index, const void *bytes, size_t len) {
	return signdocGoWrite(context, index, (void *)bytes, len);
}

static int32_t bridge_result(void *context, size_t index, const signdoc_results *result) {
	return signdocGoResult(context, index, (void *)result);
}

static int32_t bridge_log(void *context, int32_t level, const char *id, const char *message) {
	return signdocGoLog(context, level, (char *)id, (char *)message);
}

// The context is a number on the Go side (cgo.Handle), no pointer that Go knows.

int32_t signdoc_go_add_reader(signdoc_documents *documents, uintptr_t context, int64_t len,
                              const char *name, signdoc_error **error) {
	return signdoc_documents_add_reader(documents, signdocGoRead, (void *)context, len, name, error);
}

int32_t signdoc_go_set_writer(signdoc_convert_options *options, uintptr_t context,
                              signdoc_error **error) {
	return signdoc_convert_options_set_writer(options, bridge_write, (void *)context, error);
}

int32_t signdoc_go_set_result(signdoc_convert_options *options, uintptr_t context,
                              signdoc_error **error) {
	return signdoc_convert_options_set_result(options, bridge_result, (void *)context, error);
}

int32_t signdoc_go_set_progress(signdoc_call *call, uintptr_t context, signdoc_error **error) {
	return signdoc_call_set_progress(call, signdocGoProgress, (void *)context, error);
}

int32_t signdoc_go_set_log(signdoc_call *call, int32_t least, uintptr_t context,
                           signdoc_error **error) {
	return signdoc_call_set_log(call, least, bridge_log, (void *)context, error);
}
*/
import "C"
