-- When a person proved to own both the mailbox and the password of the account: by the password together with a link
-- that was mailed, by setting a new password through a link that was mailed, or by the word of the operator.
-- null: nobody has proved it. A program opened the link without the password, so whoever chose the password may be a
-- stranger to the mailbox. A sign-in proves nothing, for that stranger has the password. Before a membership beside the
-- store that came with the account counts, such a person must set a new password through a link that was mailed.
ALTER TABLE users ADD COLUMN proven_at INTEGER;

-- Up to here every link activated without a password; `setup` and the operator vouched for the others.
UPDATE users SET proven_at = coalesce(password_changed_at, created_at)
WHERE id NOT IN (
    SELECT user_id FROM audit_events
    WHERE action = 'account.verified' AND actor_kind = 'anyone' AND user_id IS NOT NULL
  )
  OR id IN (SELECT user_id FROM audit_events WHERE action = 'password.reset' AND user_id IS NOT NULL);

-- Wrong passwords that came with the link; the fifth ends it.
ALTER TABLE registrations ADD COLUMN wrong_passwords INTEGER NOT NULL DEFAULT 0;

-- 1: the link in the mail about a new account. Whoever uses it says that somebody else opened the account.
ALTER TABLE password_resets ADD COLUMN takes_over INTEGER NOT NULL DEFAULT 0 CHECK (takes_over IN (0, 1));
