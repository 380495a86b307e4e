import { ChevronRight } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '#components/button.tsx'
import { type ControlProps, Field } from '#components/field.tsx'
import type { FieldErrors } from '#hooks/use-field-errors.ts'
import { isFecha, longDate } from '#lib/dates.ts'
import { activityForm, moreDetails as text } from '#lib/messages-later.ts'
import form from './activity-form.module.css'
import { type Draft, type DraftName, MAX_PLACE } from './draft-rules.ts'
import styles from './more-details.module.css'
import { RepeatFields } from './repeat-fields.tsx'

type Bound = {
  name: DraftName
  value: string
  onChange: (event: { target: { value: string } }) => void
}

type MoreDetailsProps = {
  draft: Draft
  errors: FieldErrors<DraftName>
  bind: (name: DraftName) => Bound
  /** Changes how it repeats; without it the fields are not shown. */
  onRepeat: ((draft: Draft) => void) | null
}

const NAMES = ['hora', 'hora_fin', 'fecha_fin', 'lugar'] as const
const ASKING = [...NAMES, 'regla'] as const

/** A plan's optional fields, shown on demand or if they have content. */
export function MoreDetails({ draft, errors, bind, onRepeat }: MoreDetailsProps) {
  const [shown, setShown] = useState(() => ASKING.some((name) => draft[name] !== ''))
  const box = useRef<HTMLDivElement>(null)
  const { fecha, fecha_fin } = draft
  const field = (
    name: (typeof NAMES)[number],
    control: (props: ControlProps & Bound) => ReactNode,
    hint?: string,
  ) => (
    <Field label={text[name]} note={activityForm.optional} error={errors[name]} hint={hint}>
      {(props) => control({ ...props, ...bind(name) })}
    </Field>
  )
  if (!shown) {
    const show = () => {
      flushSync(() => setShown(true))
      box.current?.querySelector('input')?.focus()
    }
    return (
      <Button variant="quiet" className={styles.more} icon={<ChevronRight />} onClick={show}>
        {text.title}
      </Button>
    )
  }
  return (
    <div className={styles.fields} ref={box}>
      <div className={form.pair}>
        {field('hora', (props) => (
          <input {...props} type="time" />
        ))}
        {field('hora_fin', (props) => (
          <input {...props} type="time" />
        ))}
      </div>
      {field(
        'fecha_fin',
        (props) => (
          <input {...props} type="date" min={fecha || undefined} max="9999-12-31" />
        ),
        isFecha(fecha_fin) ? longDate(fecha_fin) : undefined,
      )}
      {field('lugar', (props) => (
        <input {...props} dir="auto" maxLength={MAX_PLACE} autoComplete="off" />
      ))}
      {onRepeat ? <RepeatFields draft={draft} errors={errors} onChange={onRepeat} /> : null}
    </div>
  )
}
