import { CalendarArrowDown } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { Button } from '#components/button.tsx'
import type { Mes } from '#lib/dates.ts'
import { ics } from '#lib/messages.ts'
import { saveIcs } from '../files/save-ics.ts'
import type { MonthIndex } from '../month-index.ts'
import { MoneyLine } from './money-line.tsx'
import { historyOf, moneyOf } from './month-money.ts'
import styles from './month-tools.module.css'

type MonthToolsProps = { mes: Mes; index: MonthIndex; children?: ReactNode }

/** What belongs to the open month as a whole: its money, and its calendar file. */
export function MonthTools({ mes, index, children }: MonthToolsProps) {
  const list = index.inMonth(mes)
  const month = useMemo(() => moneyOf(mes, index.inMonth), [mes, index])
  const history = useMemo(() => historyOf(mes, index.inMonth), [mes, index])
  const going = list.filter(({ estado }) => estado !== 'rechazado')
  return (
    <>
      <MoneyLine month={month} history={history}>
        {children}
      </MoneyLine>
      {going.length > 0 ? (
        <Button
          variant="quiet"
          className={`no-print ${styles.save}`}
          aria-label={ics.month}
          title={ics.month}
          icon={<CalendarArrowDown />}
          onClick={() => void saveIcs(going, `planes-${mes}`)}
        />
      ) : null}
    </>
  )
}
