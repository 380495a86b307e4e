import { CalendarArrowDown, Download, Sheet } from 'lucide-react'
import { type ReactNode, use, useState } from 'react'
import { Button } from '#components/button.tsx'
import { People } from '#components/people.tsx'
import { download } from '#lib/download.ts'
import { yourData as text } from '#lib/messages-later.ts'
import { notify, serverSentence } from '#lib/notify.ts'
import { supabase } from '#lib/supabase.ts'
import type { Actividad } from '../api.ts'
import { toCsv } from './csv.ts'
import styles from './export-buttons.module.css'
import { saveIcs } from './save-ics.ts'

async function exportAll(): Promise<string> {
  const { data, error } = await supabase.rpc('exportar_datos')
  if (error) throw error
  return JSON.stringify(data, null, 2)
}

/** Everything of this person's, from the server; the plans that are on the screen, as a table and as a calendar. */
export function ExportButtons({
  list,
  children,
}: {
  list: readonly Actividad[]
  children?: ReactNode
}) {
  const people = use(People)
  const [busy, setBusy] = useState(false)
  const save = async () => {
    if (busy) return
    setBusy(true)
    try {
      download('planes.json', 'application/json', await exportAll())
    } catch (error) {
      notify.error(serverSentence(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <div className={styles.buttons}>
      <Button icon={<Download />} busy={busy} onClick={() => void save()}>
        {text.everything}
      </Button>
      <Button
        icon={<Sheet />}
        onClick={() => download('planes.csv', 'text/csv', toCsv(list, people))}
      >
        {text.table}
      </Button>
      <Button icon={<CalendarArrowDown />} onClick={() => void saveIcs(list, 'planes')}>
        {text.calendar}
      </Button>
      {children}
    </div>
  )
}
