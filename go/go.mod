module signdoc

go 1.19
