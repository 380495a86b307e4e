import { CalendarPlus } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from '#components/button.tsx'
import { Dialog } from '#components/dialog.tsx'
import { chunk, LazyChunk } from '#components/lazy-chunk.tsx'
import { useReadOnly } from '#components/read-only.tsx'
import type { Profile } from '#lib/database.ts'
import { importing as text } from '#lib/messages-later.ts'
import type { Actividad } from '../api.ts'
import { partsOf } from '../common.ts'
import styles from './import-calendar.module.css'

const importPlans = chunk(() => import('./import-plans.tsx'))

type ImportCalendarProps = { profile: Profile; list: readonly Actividad[] }

/** Chooses a calendar file and shows its plans. The file is read in the browser and not uploaded. */
export function ImportCalendar({ profile, list }: ImportCalendarProps) {
  const input = useRef<HTMLInputElement>(null)
  const [file, setFile] = useState<File | null>(null)
  const readOnly = useReadOnly()
  const close = () => setFile(null)
  return (
    <>
      <Button
        {...readOnly}
        variant="quiet"
        className={styles.open}
        icon={<CalendarPlus />}
        onClick={() => input.current?.click()}
      >
        {text.open}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        accept=".ics,.ical,text/calendar"
        aria-label={text.open}
        onChange={({ target }) => {
          setFile(target.files?.[0] ?? null)
          // So that choosing the same file again is a change.
          target.value = ''
        }}
      />
      <Dialog open={file !== null} title={text.title} wide onClose={close}>
        {file ? (
          <LazyChunk
            of={importPlans}
            file={file}
            list={partsOf(list, profile).common}
            profile={profile}
            onClose={close}
          />
        ) : null}
      </Dialog>
    </>
  )
}
