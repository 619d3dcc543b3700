#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    signdoc_fuzz::targets::container::run(data);
});
