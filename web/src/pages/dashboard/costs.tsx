import { use, useState } from 'react'
import { chunk, LazyChunk } from '#components/lazy-chunk.tsx'
import { People } from '#components/people.tsx'
import { useServerHas } from '#components/server-version.tsx'
import type { Mes } from '#lib/dates.ts'
import { money } from '#lib/messages.ts'
import styles from './costs.module.css'

const monthAccounts = chunk(() => import('#features/costs/month-accounts.tsx'))

/** What the month really cost, loaded when expanded; only for couples. */
export function MonthAccounts({ mes }: { mes: Mes }) {
  const [open, setOpen] = useState(false)
  const isCouple = use(People).length > 1
  if (!useServerHas('costs') || !isCouple) return null
  return (
    <details className="no-print" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className={styles.summary}>{money.accounts}</summary>
      {open ? <LazyChunk of={monthAccounts} mes={mes} /> : null}
    </details>
  )
}
