-- +goose Up

-- Which reading of the client token was measured on the instance (protocol.md section 14); null while nobody has.
ALTER TABLE ledger ADD COLUMN reading TEXT;
