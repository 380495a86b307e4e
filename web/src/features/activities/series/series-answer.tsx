import { useMutation } from '@tanstack/react-query'
import { Check, X } from 'lucide-react'
import { Button } from '#components/button.tsx'
import { useReadOnly } from '#components/read-only.tsx'
import { type Fecha, shortDate } from '#lib/dates.ts'
import { logFailure } from '#lib/log.ts'
import { activities } from '#lib/messages.ts'
import { series as text } from '#lib/messages-later.ts'
import { formatEuros, toCents } from '#lib/money.ts'
import { notify, serverSentence } from '#lib/notify.ts'
import type { Actividad, Answer } from '../api.ts'
import { AnswerButtons, type AnswerButtonsProps } from '../list/activity-buttons.tsx'
import { useReload } from '../use-activities.ts'
import styles from './series.module.css'
import { answerSeries } from './series-api.ts'

type SeriesAnswerProps = Omit<AnswerButtonsProps, 'answered'> & {
  /** All plans; those of its series are found among them. */
  plans: readonly Actividad[]
}

/** Answers a series as a whole; if one plan is left of it, like any other plan. */
export default function SeriesAnswer({ plans, ...props }: SeriesAnswerProps) {
  const { actividad, userId } = props
  const dates = plans.filter(
    ({ serie_id, estado, creador_id }) =>
      serie_id === actividad.serie_id && estado === 'pendiente' && creador_id !== userId,
  )
  if (dates.length < 2) return <AnswerButtons {...props} />
  return <AnswerTogether {...props} dates={dates} />
}

type AnswerTogetherProps = AnswerButtonsProps & { dates: readonly Actividad[] }

function AnswerTogether({ actividad, userId, onReject, dates }: AnswerTogetherProps) {
  const { titulo, serie_id } = actividad
  const reload = useReload(userId)
  const readOnly = useReadOnly()
  const count = dates.length
  const answer = useMutation({
    mutationFn: (estado: Answer) => answerSeries(serie_id ?? '', dates, estado),
    onMutate: (estado) => onReject?.(estado === 'rechazado'),
    onSuccess: (_, estado) =>
      notify.success(estado === 'aceptado' ? text.accepted(count) : text.rejected(count)),
    onError: (error) => {
      onReject?.(false)
      logFailure('series', error)
      notify.error(serverSentence(error))
    },
    onSettled: reload.now,
  })
  const busy = answer.isPending ? answer.variables : null
  const give = (estado: Answer) => {
    if (!busy) answer.mutate(estado)
  }
  const last = dates.at(-1) ?? actividad
  return (
    <>
      <div className={styles.together}>
        <p>{[text.dates(count, shortDate(last.fecha)), ...inTotal(dates)].join(' · ')}</p>
        <details>
          <summary className={styles.show}>{text.show}</summary>
          <ul className={styles.dates}>
            {dates.map(({ id, fecha }) => (
              <li key={id}>
                <time dateTime={fecha}>{dayIn(fecha, actividad.fecha)}</time>
              </li>
            ))}
          </ul>
        </details>
      </div>
      <Button
        {...readOnly}
        variant="accept"
        className={styles.button}
        busy={busy === 'aceptado'}
        aria-label={activities.named(text.accept(count), titulo)}
        icon={<Check />}
        onClick={() => give('aceptado')}
      >
        {text.accept(count)}
      </Button>
      <Button
        {...readOnly}
        variant="reject"
        className={styles.button}
        busy={busy === 'rechazado'}
        aria-label={activities.named(text.reject(count), titulo)}
        icon={<X />}
        onClick={() => give('rechazado')}
      >
        {text.reject(count)}
      </Button>
    </>
  )
}

/** «mié 6 ene 2027» where the year is another one than at first. */
const dayIn = (fecha: Fecha, first: Fecha): string =>
  fecha.slice(0, 4) === first.slice(0, 4)
    ? shortDate(fecha)
    : `${shortDate(fecha)} ${fecha.slice(0, 4)}`

/** The cost of all of them, which is accepted with them. */
function inTotal(dates: readonly Actividad[]): string[] {
  const cents = dates.reduce((sum, { presupuesto }) => sum + toCents(presupuesto ?? 0), 0)
  return cents === 0 ? [] : [text.total(formatEuros(cents / 100))]
}
