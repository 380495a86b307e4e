"""The ports' real versions.

- `bcrypt_hash`: bcrypt by libcrypt or the bcrypt package
- `fair_queue`: threads that callers take in turns
- `hashing`: bcrypt, Argon2 and Firebase scrypt in low-priority threads
- `http`: outgoing HTTP
- `smtp`: mail, or none
- `sms_answers`: what the providers of text messages answer
- `sms`: text messages by provider
- `hooks`: PostgreSQL functions and signed HTTP calls
- `captcha`: hCaptcha and Turnstile
- `leaked_passwords`: Have I Been Pwned ranges
- `memory_buckets`: rate limits of one process
- `templates`: mail templates by URL
"""
