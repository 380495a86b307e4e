"""The stack as a whole: time to the first answer, idle memory, how soon a partner sees a change.

Starts are those of `python -m compat_stack serve`: of the planner, and of a Supabase project of 200
migrations, whose first start applies them.

The partner's figure is from the server's answer to the update until the partner's page shows it,
in two browser contexts of one Chromium, read from the machine's one clock.

Data folders are made beside the clone's own. In the system's folder of temporary files every new
file can cost a millisecond: ext4 looks past each inode that was given up there in the last five
minutes, and tests give up tens of thousands.
"""

from __future__ import annotations

import statistics
import tempfile
import time
import urllib.request
from functools import partial
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, sync_playwright

from bench.figures import Figure, keep
from tests.harness_browser import chromium_options
from tests.harness_couple import Person, make_couple
from tests.harness_stack import BY_ITSELF, ROOT, Stack, start_stack

CHANGES = 15
STARTS = 5
MIGRATIONS = 200
_MIGRATION = """
-- Accounts own rows of {name}.
create table public.{name} (
  id uuid primary key default gen_random_uuid(),
  owner uuid not null references auth.users (id) on delete cascade,
  title text not null check (length(title) between 1 and 200),
  facts jsonb not null default '{{}}', position int not null default 0,
  created_at timestamptz not null default now(), updated_at timestamptz not null default now()
);
create index {name}_by_owner on public.{name} (owner, position);
comment on table public.{name} is 'Rows; each has one owner';
alter table public.{name} enable row level security;
create policy "owners read" on public.{name} for select using ((select auth.uid()) = owner);
create policy "owners add" on public.{name} for insert with check ((select auth.uid()) = owner);
create policy "owners change" on public.{name} for update using ((select auth.uid()) = owner);
create function public.touch_{name}() returns trigger language plpgsql as $$
begin
  new.updated_at := now();
  return new;
end $$;
create trigger touch before update on public.{name}
  for each row execute function public.touch_{name}();
create view public.newest_{name} with (security_invoker) as
  select id, title, created_at from public.{name} order by created_at desc limit 20;
grant select on public.newest_{name} to authenticated;
alter publication supabase_realtime add table public.{name};
"""
_AT_REST = (
    0.5  # seconds; the page reads the list at most every 0.3, so a second change waits for it
)
MEMORY = 100  # MB


def main() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory(prefix=".data-bench-", dir=ROOT) as folder:
        folders = [Path(folder) / str(number) for number in range(STARTS)]
        _print_starts("first start", 3, [_start_and_stop(data) for data in folders])
        _print_starts("second start", 5, [_start_and_stop(data) for data in folders])
        project = _write_project(Path(folder) / "supabase")
        others = [Path(folder) / f"project-{number}" for number in range(STARTS)]
        times = [_start_and_stop(data, project) for data in others]
        _print_starts(f"{MIGRATIONS} migrations", 6, times)
        stack = start_stack(folders[0], program=BY_ITSELF)
        try:
            memory = _memory(stack)
            print(f"idle memory, Python processes     {memory:6.0f} MB  (target {MEMORY})")
            keep(Figure("idle memory", memory, "MB", MEMORY))
            times = _partner_times(stack)
        finally:
            stack.stop()
    worst = max(times)
    keep(Figure("partner sees a change", statistics.median(times), "ms", 100))
    print(
        f"partner sees a change, median     {statistics.median(times):6.0f} ms  (target 100)"
        f"\npartner sees a change, worst      {worst:6.0f} ms  of {CHANGES}"
    )


def _print_starts(which: str, target: int, times: list[float]) -> None:
    name = f"{which} to the first answer"
    worst = f"worst {max(times):.2f} of {STARTS}"
    print(f"{name:33} {statistics.median(times):6.2f} s   (target {target})  {worst}")
    middle = statistics.median(times)
    keep(Figure(name, middle, "s", target, low=min(times), high=max(times)))


def _write_project(folder: Path) -> Path:
    (folder / "migrations").mkdir(parents=True)
    (folder / "config.toml").write_text('project_id = "bench"\n')
    for number in range(MIGRATIONS):
        file = folder / f"migrations/{20240101000000 + number}_rows.sql"
        file.write_text(_MIGRATION.format(name=f"rows_{number}"))
    return folder


def _start_and_stop(data: Path, project: Path | None = None) -> float:
    start = partial(start_stack, data, program=BY_ITSELF, is_database_given=False)
    began = time.perf_counter()
    stack = start(SUPABASE_DIR=str(project), DATABASE_PORT="0") if project else start()
    with urllib.request.urlopen(stack.url + "/auth/v1/health", timeout=10) as answer:
        answer.read()
    took = time.perf_counter() - began
    stack.stop()
    return took


def _memory(stack: Stack) -> float:
    """Resident memory in MB: one process, so its own figure is the sum."""
    status = Path(f"/proc/{stack.process.pid}/status").read_text()
    kilobytes = next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS"))
    return int(kilobytes) / 1024


def _partner_times(stack: Stack) -> list[float]:
    ana, luis = make_couple(stack)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**chromium_options())
        page = _dashboard(browser.new_context(locale="es-ES"), stack, luis)
        times = [_one_change(page, ana, luis, number) for number in range(CHANGES)]
        browser.close()
    return times


def _dashboard(context: BrowserContext, stack: Stack, person: Person) -> Page:
    page = context.new_page()
    page.goto(f"{stack.url}/auth")
    page.get_by_label("Correo electrónico").fill(person.email)
    page.get_by_label("Contraseña", exact=True).fill(person.password)
    page.locator("form").get_by_role("button", name="Iniciar Sesión").click()
    page.wait_for_url("**/dashboard")
    page.get_by_role("grid").wait_for()
    return page


def _one_change(page: Page, ana: Person, luis: Person, number: int) -> float:
    title = f"Plan {number:02}"
    activity = luis.create_activity(title)
    item = page.get_by_role("listitem").filter(has_text=title)
    item.get_by_text("Pendiente").wait_for()
    page.evaluate(
        """title => { window.__seen = new Promise(resolve => {
            const look = () => {
                const items = [...document.querySelectorAll('[role=listitem], li')];
                const item = items.find(li => li.textContent.includes(title));
                return item && item.textContent.includes('Aceptado');
            };
            new MutationObserver((_, observer) => {
                if (!look()) return;
                observer.disconnect();
                resolve(performance.timeOrigin + performance.now());
            }).observe(document.body, {subtree: true, childList: true, characterData: true});
        }); }""",
        title,
    )
    time.sleep(_AT_REST)
    ana.answer(activity, "aceptado")
    answered = time.time() * 1000
    seen: float = page.evaluate("() => window.__seen")
    return seen - answered


if __name__ == "__main__":
    main()
