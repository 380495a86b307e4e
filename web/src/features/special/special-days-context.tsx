import { createContext, use } from 'react'
import type { Fecha } from '#lib/dates.ts'
import { specialDays as text } from '#lib/messages.ts'
import styles from './special-days.module.css'
import { aheadOf, type SpecialDay } from './special-days.ts'

/** The couple's special days; empty while they load. */
export const SpecialDays = createContext<readonly SpecialDay[]>([])

/** «En 5 días: Nuestro aniversario, 3 años». */
export function SpecialDaysAhead({ today }: { today: Fecha }) {
  const ahead = aheadOf(today, use(SpecialDays))
  if (ahead.length === 0) return null
  return (
    <ul className={styles.ahead}>
      {ahead.map(({ id, days, words }) => (
        <li key={id}>
          {text.until(days)}: <bdi>{words}</bdi>
        </li>
      ))}
    </ul>
  )
}
