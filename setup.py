"""Packages of the wheel: those of the checkout, the migrations, and the web app where it is built.

`sql` and `web/dist` stand beside the packages in the checkout and inside them in the wheel
(`compat_base/sql`, `compat_stack/web`); `compat_base.postgres.sqlfiles.SQL_FOLDER` and
`compat_stack.settings.WEB_FOLDER` find them in both.
"""

from pathlib import Path

from setuptools import find_packages, setup

packages = find_packages(include=["compat_*", "*_compat", "*_compat.*"])
data = {"": ["*.sql", "*.html", "py.typed"], "compat_base.sql": ["*/*.sql", "contrib/extension/*"]}
folders = {"compat_base.sql": "sql"}
if Path("web/dist/index.html").exists():
    folders["compat_stack.web"] = "web/dist"
    data["compat_stack.web"] = ["**/*"]

setup(packages=[*packages, *folders], package_dir=folders, package_data=data)
