import { Search, X } from 'lucide-react'
import { Fragment, useEffect, useId, useMemo, useRef, useState } from 'react'
import { Button } from '#components/button.tsx'
import { Empty } from '#components/empty.tsx'
import { useAfterPaint } from '#hooks/use-after-paint.ts'
import type { Address, De } from '#lib/address.ts'
import type { Estado } from '#lib/database.ts'
import { type Fecha, type Mes, monthOf, monthTitle } from '#lib/dates.ts'
import { agenda as text } from '#lib/messages-later.ts'
import type { ActivityActions } from '../activity-actions.ts'
import type { Actividad } from '../api.ts'
import { ActivityItem } from '../list/activity-item.tsx'
import type { Notes } from '../notes.ts'
import { lastDayOf } from '../span.ts'
import styles from './agenda.module.css'
import { foundIn, isFiltered } from './agenda-filter.ts'

type AgendaProps = {
  common: readonly Actividad[]
  before: readonly Actividad[]
  userId: string
  partnerName: string | null
  today: Fecha
  address: Address
  /** The search was asked for: its field takes the focus. */
  seeking: boolean
  onSought: () => void
  onChange: (change: Partial<Address>) => void
  changed: ReadonlySet<string>
  notes: Notes
  actions: ActivityActions
}

const PORTION = 50
const TYPED_MS = 300

const ESTADOS: readonly Estado[] = ['pendiente', 'aceptado', 'rechazado']

/** Every plan by date, from today on, and the search through all of them. */
export default function Agenda(props: AgendaProps) {
  const { common, before, userId, partnerName, today, address, onChange, changed, notes, actions } =
    props
  const [q, setQ] = useTyped(address.q, (next) => onChange({ q: next }))
  // The button or the letter is rendered at once, the results in a later rendering.
  const estado = useAfterPaint(address.estado)
  const de = useAfterPaint(address.de)
  const wanted = useAfterPaint(q)
  const filtered = isFiltered({ estado, de, q: wanted })
  const found = useMemo(
    () => foundIn({ common, before }, { estado, de, q: wanted }, userId),
    [common, before, userId, estado, de, wanted],
  )
  const ahead = found.findIndex((one) => lastDayOf(one) >= today)
  const start = filtered ? 0 : ahead < 0 ? found.length : ahead
  const [earlier, setEarlier] = useState(0)
  const [more, setMore] = useState(PORTION)
  const from = Math.max(0, start - earlier)
  const shown = found.slice(from, start + more)
  const former = useMemo(() => new Set(before.map(({ id }) => id)), [before])
  return (
    <section className={styles.agenda} aria-label="Agenda">
      <SearchField value={q} onChange={setQ} seeking={props.seeking} onSought={props.onSought} />
      <Filters
        address={address}
        partnerName={partnerName}
        hasBefore={before.length > 0}
        onChange={onChange}
        onClear={() => {
          setQ('')
          onChange({ q: '', estado: null, de: null })
        }}
      />
      <p role="status" className={styles.status}>
        {filtered ? text.results(found.length) : ''}
      </p>
      {from > 0 ? (
        <Button variant="quiet" onClick={() => setEarlier(earlier + PORTION)}>
          {text.earlier}
        </Button>
      ) : null}
      {shown.length === 0 ? (
        <Empty sign={filtered ? 'search' : 'add'}>
          <p>{filtered ? text.nothing : text.none}</p>
        </Empty>
      ) : null}
      {byMonth(shown).map(([mes, plans]) => (
        <Fragment key={mes}>
          <h2 className={styles.month}>{monthTitle(mes)}</h2>
          {/* biome-ignore lint/a11y/useSemanticElements: as the month's list */}
          <div role="list" className={styles.list}>
            {plans.map((actividad) => (
              <ActivityItem
                key={actividad.id}
                actividad={actividad}
                userId={userId}
                before={former.has(actividad.id)}
                note={notes.get(actividad.id)}
                changed={changed.has(actividad.id)}
                foldedDeletion
                actions={actions}
              />
            ))}
          </div>
        </Fragment>
      ))}
      {start + more < found.length ? (
        <Button variant="quiet" onClick={() => setMore(more + PORTION)}>
          {text.later}
        </Button>
      ) : null}
    </section>
  )
}

function byMonth(list: readonly Actividad[]): [Mes, Actividad[]][] {
  const months = new Map<Mes, Actividad[]>()
  for (const actividad of list) {
    const mes = monthOf(actividad.fecha)
    months.set(mes, [...(months.get(mes) ?? []), actividad])
  }
  return [...months]
}

/** A text that shows at once and is reported a moment after the last key; another `given` replaces it. */
function useTyped(given: string, tell: (text: string) => void): [string, (text: string) => void] {
  const [typed, setTyped] = useState(given)
  const [known, setKnown] = useState(given)
  const timer = useRef<number>(undefined)
  if (given !== known) {
    setKnown(given)
    setTyped(given)
  }

  useEffect(() => () => window.clearTimeout(timer.current), [])

  const type = (next: string) => {
    setTyped(next)
    window.clearTimeout(timer.current)
    timer.current = window.setTimeout(() => {
      setKnown(next)
      tell(next)
    }, TYPED_MS)
  }
  return [typed, type]
}

type SearchFieldProps = Pick<AgendaProps, 'seeking' | 'onSought'> & {
  value: string
  onChange: (text: string) => void
}

function SearchField({ value, onChange, seeking, onSought }: SearchFieldProps) {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)

  useEffect(() => {
    if (!seeking) return
    field.current?.focus()
    onSought()
  }, [seeking, onSought])

  return (
    <div className={styles.search}>
      <Search aria-hidden="true" />
      <label htmlFor={id} className="sr-only">
        {text.search}
      </label>
      <input
        ref={field}
        id={id}
        type="search"
        className={styles.field}
        placeholder={text.placeholder}
        maxLength={100}
        autoComplete="off"
        dir="auto"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  )
}

type FiltersProps = {
  address: Address
  partnerName: string | null
  hasBefore: boolean
  onChange: (change: Partial<Address>) => void
  onClear: () => void
}

function Filters({ address, partnerName, hasBefore, onChange, onClear }: FiltersProps) {
  const whose: [De, string][] = [['mi', text.mine]]
  if (partnerName !== null) whose.push(['pareja', text.theirs(partnerName)])
  if (hasBefore) whose.push(['antes', text.before])
  return (
    <fieldset className={styles.filters}>
      <legend className="sr-only">{text.filters}</legend>
      {ESTADOS.map((estado) => (
        <Toggle
          key={estado}
          label={text.estado[estado]}
          on={address.estado === estado}
          onToggle={(on) => onChange({ estado: on ? estado : null })}
        />
      ))}
      {whose.map(([de, label]) => (
        <Toggle
          key={de}
          label={label}
          on={address.de === de}
          onToggle={(on) => onChange({ de: on ? de : null })}
        />
      ))}
      {isFiltered(address) ? (
        <Button variant="quiet" icon={<X />} onClick={onClear}>
          {text.clear}
        </Button>
      ) : null}
    </fieldset>
  )
}

type ToggleProps = { label: string; on: boolean; onToggle: (on: boolean) => void }

const Toggle = ({ label, on, onToggle }: ToggleProps) => (
  <Button className={styles.toggle} aria-pressed={on} onClick={() => onToggle(!on)}>
    {label}
  </Button>
)
