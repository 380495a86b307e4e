"""The ports' real versions.

- `blowfish`: the fastest bcrypt there is
- `fairqueue`: threads that callers take in turns
- `hashing`: bcrypt, Argon2 and Firebase scrypt in low-priority threads
- `http`: outgoing HTTP
- `smtp`: mail, or none
- `sms`: text messages by provider
- `hooks`: PostgreSQL functions and signed HTTP calls
- `captcha`: hCaptcha and Turnstile
- `leaks`: Have I Been Pwned ranges
- `templates`: mail templates by URL
"""
