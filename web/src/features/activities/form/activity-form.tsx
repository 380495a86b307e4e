import { Check, Plus } from 'lucide-react'
import { type FormEvent, useDeferredValue, useState } from 'react'
import { Button } from '#components/button.tsx'
import { Choices } from '#components/choices.tsx'
import { DialogActions, DialogBody } from '#components/dialog-layout.tsx'
import { FIRST_FOCUS } from '#components/dialog-marks.ts'
import { Field } from '#components/field.tsx'
import { useServerHas } from '#components/server-version.tsx'
import { useFieldErrors } from '#hooks/use-field-errors.ts'
import { type Fecha, isFecha, longDate } from '#lib/dates.ts'
import { editing as edit, product } from '#lib/messages.ts'
import { series, activityForm as text } from '#lib/messages-later.ts'
import { readAs } from '#lib/money.ts'
import { randomId } from '#lib/uuid.ts'
import type { Actividad, Changes } from '../api.ts'
import { createSeries, type EditScope, editSeries } from '../series/series-api.ts'
import type { Send } from '../use-activities.ts'
import styles from './activity-form.module.css'
import {
  type Draft,
  type DraftName,
  findDraftErrors,
  MAX_DESCRIPTION,
  MAX_TITLE,
  toChanges,
} from './draft-rules.ts'
import { MoreDetails } from './more-details.tsx'
import { SameDay } from './same-day.tsx'

type ActivityFormProps = {
  draft: Draft
  today: Fecha
  onChange: (draft: Draft) => void
  onCancel: () => void
  /** The proposal that is changed, instead of making one. */
  editing: Actividad | null
  /** Made from an idea: such a plan cannot repeat. */
  mayRepeat: boolean
  /** Replaces the specification's insert. */
  onSubmit: (changes: Changes, send?: Send) => Promise<void>
  byDay: ReadonlyMap<Fecha, readonly Actividad[]>
  onShow: (actividad: Actividad) => void
}

const SCOPES: readonly { value: EditScope; label: string }[] = [
  { value: 'esta', label: series.this },
  { value: 'siguientes', label: series.following },
  { value: 'todas', label: series.pending },
]

/** The four fields of an activity. The budget is text, so that «12,50» is never read as 1250. */
export default function ActivityForm(props: ActivityFormProps) {
  const { draft, today, editing, mayRepeat, byDay, onChange, onCancel, onSubmit, onShow } = props
  const { errors, report, clear } = useFieldErrors<DraftName>()
  const [busy, setBusy] = useState(false)
  // A repeated proposal lacks only its date.
  const [startOnDate] = useState(draft.titulo !== '' && draft.fecha === '')
  // The first field and the buttons are rendered at once, the other fields in a later rendering.
  const complete = useDeferredValue(true, startOnDate)
  const detailed = useServerHas('hours')
  const repeats = useServerHas('series') && mayRepeat && !editing
  const [scope, setScope] = useState<EditScope>('esta')
  const [seriesId] = useState(randomId)
  const read = readAs(draft.presupuesto)

  const bind = (name: DraftName) => ({
    name,
    value: draft[name],
    onChange: (event: { target: { value: string } }) => {
      onChange({ ...draft, [name]: event.target.value })
      clear(name)
    },
  })

  const changeSeries = (next: Draft) => {
    onChange(next)
    clear('limite')
  }

  const sendOf = (changes: Changes): Send | undefined => {
    const { regla, limite } = draft
    if (editing && scope !== 'esta') return () => editSeries(editing, changes, scope)
    return repeats && regla ? () => createSeries(seriesId, changes, regla, limite) : undefined
  }

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (busy || !report(event.currentTarget, findDraftErrors(draft))) return
    setBusy(true)
    const changes = toChanges(draft, editing !== null && detailed)
    await onSubmit(changes, sendOf(changes))
    setBusy(false)
  }

  return (
    <form noValidate onSubmit={submit} className={styles.form}>
      <DialogBody>
        <Field label={text.titulo} error={errors.titulo}>
          {(control) => (
            <input
              {...control}
              {...bind('titulo')}
              required
              dir="auto"
              maxLength={MAX_TITLE}
              autoComplete="off"
            />
          )}
        </Field>
        {complete ? (
          <>
            <Field label={text.descripcion} note={text.optional}>
              {(control) => (
                <textarea
                  {...control}
                  {...bind('descripcion')}
                  rows={3}
                  dir="auto"
                  maxLength={MAX_DESCRIPTION}
                />
              )}
            </Field>
            <div className={styles.pair}>
              <Field label={text.fecha} error={errors.fecha} hint={dateHint(draft.fecha, today)}>
                {(control) => (
                  <input
                    {...control}
                    {...bind('fecha')}
                    type="date"
                    required
                    max="9999-12-31"
                    {...(startOnDate ? FIRST_FOCUS : {})}
                  />
                )}
              </Field>
              <Field
                label={text.presupuesto}
                note={text.optional}
                error={errors.presupuesto}
                hint={read ? text.readAs(read) : undefined}
                suffix={<span>{text.currency}</span>}
              >
                {(control) => (
                  <input
                    {...control}
                    {...bind('presupuesto')}
                    inputMode="decimal"
                    autoComplete="off"
                    placeholder="0,00"
                  />
                )}
              </Field>
            </div>
            {detailed ? (
              <MoreDetails
                draft={draft}
                errors={errors}
                bind={bind}
                onRepeat={repeats ? changeSeries : null}
              />
            ) : null}
            {editing?.serie_id ? (
              <Choices
                legend={series.whichChange}
                name="alcance"
                options={SCOPES}
                value={scope}
                onChange={setScope}
              />
            ) : null}
          </>
        ) : (
          <Rooms />
        )}
        <SameDay planned={byDay.get(draft.fecha)} onShow={onShow} />
      </DialogBody>
      <DialogActions>
        <Button onClick={onCancel}>{product.cancel}</Button>
        <Button type="submit" variant="primary" busy={busy} icon={editing ? <Check /> : <Plus />}>
          {editing ? edit.save : text.submit}
        </Button>
      </DialogActions>
    </form>
  )
}

/** The date in words: a browser in another language shows it in another order. */
function dateHint(fecha: string, today: Fecha): string | undefined {
  if (!isFecha(fecha)) return undefined
  return fecha < today ? `${longDate(fecha)}. ${text.past}` : longDate(fecha)
}

/** As much room as the fields that are still to come, so that nothing moves when they do. */
function Rooms() {
  return (
    <>
      <div className={styles.area} />
      <div className={styles.pair}>
        <div className={styles.line} />
        <div className={styles.line} />
      </div>
    </>
  )
}
