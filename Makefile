.PHONY: lock
lock:  ## pin and hash every Python dependency (needs uv)
	uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate -q --custom-compile-command "make lock" -o requirements/run.lock
	uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate -q --custom-compile-command "make lock" -c requirements/run.lock -o requirements/dev.lock
