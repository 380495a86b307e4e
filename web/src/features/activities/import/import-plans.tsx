import { CalendarPlus } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from '#components/button.tsx'
import { DialogActions, DialogBody } from '#components/dialog-layout.tsx'
import { useReadOnly } from '#components/read-only.tsx'
import { useServerHas } from '#components/server-version.tsx'
import type { Profile } from '#lib/database.ts'
import { dateOf, longDate, shortDate } from '#lib/dates.ts'
import { product, whenAndWhere } from '#lib/messages.ts'
import { series as repeating, importing as text } from '#lib/messages-later.ts'
import type { Actividad, Changes } from '../api.ts'
import { decoded, type Found, MAX_BYTES, type Reading, readIcs } from '../files/ics-read.ts'
import { whenOf } from '../span.ts'
import styles from './import-plans.module.css'
import { type Failure, plansIn, useImport } from './use-import.ts'

type ImportPlansProps = {
  file: File
  /** The couple's present plans. */
  list: readonly Actividad[]
  profile: Profile
  onClose: () => void
}

async function readFile(file: File, list: readonly Actividad[]): Promise<Reading> {
  if (file.size > MAX_BYTES) return { ok: false, sentence: text.tooLarge }
  try {
    return readIcs(decoded(await file.arrayBuffer()), list, dateOf(new Date()))
  } catch {
    return { ok: false, sentence: text.unreadable }
  }
}

/** The plans of a calendar file, to choose from and to propose. */
export default function ImportPlans({ file, list, profile, onClose }: ImportPlansProps) {
  const [reading, setReading] = useState<Reading | null>(null)

  // biome-ignore lint/correctness/useExhaustiveDependencies: what is known is of the moment it was opened
  useEffect(() => {
    let current = true
    void readFile(file, list).then((read) => current && setReading(read))
    return () => {
      current = false
    }
  }, [file])

  if (reading?.ok) return <Choice found={reading.found} profile={profile} onClose={onClose} />
  return (
    <>
      <DialogBody>
        {reading ? <p role="alert">{reading.sentence}</p> : <p role="status">{product.loading}</p>}
      </DialogBody>
      <DialogActions>
        <Button onClick={onClose}>{product.cancel}</Button>
      </DialogActions>
    </>
  )
}

const bare = ({ titulo, descripcion, fecha, presupuesto }: Changes): Changes => ({
  titulo,
  descripcion,
  fecha,
  presupuesto,
})

/** On a server without series the first date alone. */
const first = (one: Found): Found => (one.series ? { ...one, series: null, left: 'others' } : one)

type ChoiceProps = { found: readonly Found[]; profile: Profile; onClose: () => void }

function Choice({ found: read, profile, onClose }: ChoiceProps) {
  const detailed = useServerHas('hours')
  const repeats = useServerHas('series')
  const [found] = useState(() => (repeats ? read : read.map(first)))
  const [chosen, setChosen] = useState(() => new Set(found.filter(({ known }) => !known)))
  const { run, progress, failures } = useImport(profile)
  const readOnly = useReadOnly()
  const choose = (one: Found) => {
    const next = new Set(chosen)
    if (!next.delete(one)) next.add(one)
    setChosen(next)
  }
  const propose = async () => {
    if (progress || chosen.size === 0) return
    const wanted = found.filter((one) => chosen.has(one))
    const sent = detailed ? wanted : wanted.map((one) => ({ ...one, plan: bare(one.plan) }))
    if (await run(sent)) onClose()
    else setChosen(new Set())
  }
  const all = chosen.size === found.length
  return (
    <>
      <DialogBody>
        <Failures list={failures} />
        <fieldset className={styles.choice} disabled={progress !== null}>
          <legend className={styles.legend}>{text.which}</legend>
          <Button variant="quiet" onClick={() => setChosen(new Set(all ? [] : found))}>
            {all ? text.none : text.all}
          </Button>
          <ul className={styles.list}>
            {found.map((one, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: they stay as they were read
              <li key={place} className={styles.row}>
                <Box found={one} chosen={chosen.has(one)} onChange={() => choose(one)} />
              </li>
            ))}
          </ul>
        </fieldset>
      </DialogBody>
      <DialogActions>
        {progress ? (
          <progress
            className={styles.progress}
            aria-label={text.progress}
            value={progress.done}
            max={progress.of}
          />
        ) : null}
        <Button onClick={onClose}>{product.cancel}</Button>
        <Button
          {...readOnly}
          variant="primary"
          busy={progress !== null}
          aria-disabled={chosen.size === 0 || readOnly['aria-disabled'] || undefined}
          icon={<CalendarPlus />}
          onClick={() => void propose()}
        >
          {text.submit(plansIn(chosen))}
        </Button>
      </DialogActions>
    </>
  )
}

/** «Cada semana, 12 fechas, hasta el dom 28 feb» */
const datesIn = ({ regla, count, hasta }: NonNullable<Found['series']>): string =>
  `${whenAndWhere.repeats[regla]}, ${repeating.dates(count, shortDate(hasta))}`

type BoxProps = { found: Found; chosen: boolean; onChange: () => void }

function Box({ found: { plan, series, left, known }, chosen, onChange }: BoxProps) {
  const { fecha, hora = null, hora_fin = null, fecha_fin = null, lugar } = plan
  const when = whenOf({ fecha, hora, hora_fin, fecha_fin })
  return (
    <label className={styles.label}>
      <input type="checkbox" className={styles.box} checked={chosen} onChange={onChange} />
      <span className={styles.words}>
        <bdi className={styles.title}>{plan.titulo}</bdi>
        <span className={styles.detail}>
          {longDate(fecha)}
          {when ? `, ${when}` : ''}
          {lugar ? <bdi>{`, ${lugar}`}</bdi> : null}
        </span>
        {series ? <span className={styles.detail}>{datesIn(series)}</span> : null}
        {left ? <span className={styles.detail}>{text.left[left]}</span> : null}
        {known ? <span className={styles.known}>{text.known}</span> : null}
      </span>
    </label>
  )
}

function Failures({ list }: { list: readonly Failure[] }) {
  if (list.length === 0) return null
  return (
    <div role="alert" className={styles.failures}>
      <p>{text.failed(list.length)}</p>
      <ul>
        {list.map(({ plan, sentence }, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they stay as they are
          <li key={place}>
            <bdi>{plan.titulo}</bdi>: {sentence}
          </li>
        ))}
      </ul>
    </div>
  )
}
