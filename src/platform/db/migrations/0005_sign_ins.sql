-- Where people signed in from: there a right password is looked at also while strangers' guesses lock the e-mail.
CREATE TABLE sign_in_addresses (
  user_id TEXT    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  address TEXT    NOT NULL, -- as throttles count it: an IPv4 address, or the /64 of an IPv6 address
  last_at INTEGER NOT NULL, -- Unix ms
  PRIMARY KEY (user_id, address)
) STRICT, WITHOUT ROWID;

CREATE INDEX sign_in_addresses_age ON sign_in_addresses (last_at);

ALTER TABLE two_factor ADD COLUMN wrong_codes INTEGER NOT NULL DEFAULT 0; -- since the last success
