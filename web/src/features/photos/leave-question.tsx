import { LogOut } from 'lucide-react'
import { Button } from '#components/button.tsx'
import { ConfirmDialog } from '#components/dialog.tsx'
import { dashboard } from '#lib/messages.ts'
import { photos as text } from '#lib/messages-later.ts'
import { photosWaiting } from '#lib/stored.ts'
import { giveUpAll } from './uploads.ts'

type LeaveQuestionProps = { onStay: () => void; onLeave: () => void }

/** Asks before a sign-out that would lose photos not yet uploaded. */
export default function LeaveQuestion({ onStay, onLeave }: LeaveQuestionProps) {
  return (
    <ConfirmDialog
      open
      question={text.leaveQuestion}
      detail={text.unsent(Number(photosWaiting.get() ?? 0))}
      onClose={onStay}
      confirm={
        <Button
          variant="danger"
          icon={<LogOut />}
          onClick={() => void giveUpAll().finally(onLeave)}
        >
          {dashboard.signOut}
        </Button>
      }
    />
  )
}
