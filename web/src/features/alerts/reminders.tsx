import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useReadOnly } from '#components/read-only.tsx'
import { useServerHas } from '#components/server-version.tsx'
import { alerts as text } from '#lib/messages-later.ts'
import { notify, serverSentence } from '#lib/notify.ts'
import { Box, Hour } from './choice-fields.tsx'
import styles from './devices.module.css'
import { changeReminders, type Recordatorios, readReminders } from './push.ts'

const queryKey = ['recordatorios']

/** The times of reminders of accepted plans, for all devices of this person; nothing while they load. */
export default function Reminders() {
  const cache = useQueryClient()
  const readOnly = useReadOnly()
  const known = useQuery({ queryKey, queryFn: ({ signal }) => readReminders(signal), retry: 1 })
  const byMail = useServerHas('mail')
  const change = async (changes: Partial<Recordatorios> & { zona?: string }) => {
    try {
      await changeReminders(changes)
    } catch (error) {
      notify.error(serverSentence(error))
    }
    await cache.invalidateQueries({ queryKey })
  }
  if (!known.data) return null
  const { dia_antes, dia_antes_a, hora_antes, correo = false } = known.data
  const zona = Intl.DateTimeFormat().resolvedOptions().timeZone
  return (
    <fieldset className={styles.group} disabled={readOnly.title !== undefined}>
      <legend className={styles.legend}>{text.reminders}</legend>
      <Box
        label={text.dayBefore}
        checked={dia_antes}
        onChange={() => void change({ dia_antes: !dia_antes })}
      />
      {dia_antes ? (
        <div className={styles.hours}>
          <Hour
            label={text.dayBeforeAt}
            value={dia_antes_a}
            onChange={(hour) => void change({ dia_antes_a: hour })}
          />
        </div>
      ) : null}
      <Box
        label={text.hourBefore}
        checked={hora_antes}
        onChange={() => void change({ hora_antes: !hora_antes })}
      />
      {byMail ? (
        <Box
          label={text.byMail}
          checked={correo}
          onChange={() => void change({ correo: !correo, zona })}
        />
      ) : null}
    </fieldset>
  )
}
