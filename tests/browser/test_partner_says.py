"""What the partner does besides answering is said in the app, once for what comes together (C1).

The names begin with the rows of the planner's design.
"""

from __future__ import annotations

import uuid

from playwright.async_api import expect

from tests.harness_browser import Windows, this_month
from tests.harness_couple import Person


async def test_c1_many_proposals_at_once_are_one_notification(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    his = await windows.open(luis)
    row = {
        "descripcion": None, "fecha": this_month(9), "presupuesto": None, "estado": "pendiente",
        "creador_id": ana.id, "pareja_id": ana.profile["pareja_id"],
    }  # fmt: skip
    rows = [row | {"titulo": f"Plan {number}"} for number in range(12)]
    assert ana.client.post("/rest/v1/actividades", json=rows).is_success
    await his.expect_toast("Ana propone 12 planes", "info")
    await expect(his.toasts()).to_have_count(1)


async def test_c10_2_a_series_is_one_notification(windows: Windows, couple: tuple[Person, Person]):
    ana, luis = couple
    his = await windows.open(luis)
    plan = {"titulo": "Baile", "fecha": this_month(1)}
    ana.rpc("crear_serie", id=str(uuid.uuid4()), plan=plan, regla="semanal", hasta=this_month(22))
    await his.expect_toast("Ana propone «Baile», 4 fechas", "info")
    await expect(his.toasts()).to_have_count(1)


async def test_c1_an_accepted_plan_that_is_deleted_and_comes_back_is_told(
    windows: Windows, couple: tuple[Person, Person]
):
    ana, luis = couple
    waiting, accepted = [ana.create_activity(t, this_month(9)) for t in ("Cine", "Cena")]
    luis.answer(accepted, "aceptado")
    his = await windows.open(luis)
    ana.delete(waiting)
    await expect(his.item("Cine")).to_have_count(0)
    ana.delete(accepted)
    await his.expect_toast("Ana ha eliminado «Cena»", "info")
    await expect(his.page.get_by_text("«Cine»")).to_have_count(0)
    ana.rpc("recuperar_plan", plan=accepted)
    await his.expect_toast("Ana ha recuperado «Cena»", "info")


async def test_c2_another_date_is_one_notification(windows: Windows, couple: tuple[Person, Person]):
    ana, luis = couple
    plan = luis.create_activity("Cena", this_month(9))
    his = await windows.open(luis)
    ana.rpc("proponer_otra_fecha", plan=plan, fecha=this_month(10), hora=None, mensaje=None)
    await his.expect_toast("¡Tu pareja actualizó una actividad!", "info")
    ana.create_activity("Cine", this_month(11))
    await his.expect_toast("Ana propone «Cine»", "info")
    await expect(his.page.get_by_text("propone «Cena»")).to_have_count(0)
