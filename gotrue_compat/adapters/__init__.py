"""Implementations of the ports.

In import order:

- `bcrypt_hash`: bcrypt by libcrypt or the bcrypt package
- `hashing`: bcrypt, Argon2 and Firebase scrypt in low-priority threads
- `long_work`: long work in a thread, with fair queueing by caller
- `http`: outgoing HTTP
- `smtp`: mail, or none
- `sms_answers`: responses of SMS providers
- `sms`: text messages by provider
- `hooks`: PostgreSQL functions and signed HTTP calls
- `captcha`: hCaptcha and Turnstile
- `leaked_passwords`: Have I Been Pwned ranges
- `memory_buckets`: rate limits of one process
- `templates`: mail templates by URL
"""
