"""The local mailbox: what it keeps of a mail, and where its folder takes none."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat_base.values.world import real_world
from compat_stack.mail_stores import FolderStore
from compat_stack.mailbox import Mailbox
from gotrue_compat.ports import DeliveryError, Mail

MAIL = Mail("ana@example.com", "Hola,\r\nBcc: eva@example.com", "<p>texto</p>", "recovery")


async def test_a_subject_with_a_line_break_is_one_line(tmp_path: Path):
    mailbox = Mailbox(FolderStore(tmp_path), real_world())
    await mailbox.send(MAIL)
    (kept,) = await mailbox.mails()
    assert kept.message["subject"] == "Hola, Bcc: eva@example.com"
    assert kept.message["bcc"] is None


async def test_a_folder_that_takes_no_mail_is_told_as_a_mail_that_could_not_be_sent(
    tmp_path: Path,
):
    (tmp_path / "mailbox").write_text("a file where the folder belongs")
    mailbox = Mailbox(FolderStore(tmp_path / "mailbox"), real_world())
    with pytest.raises(DeliveryError):
        await mailbox.send(MAIL)
