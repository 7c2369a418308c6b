package call

//go:generate go run ../../tools/gendocs ../../docs
