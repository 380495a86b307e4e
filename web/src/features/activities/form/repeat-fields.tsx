import { ChevronDown } from 'lucide-react'
import { Field } from '#components/field.tsx'
import type { FieldErrors } from '#hooks/use-field-errors.ts'
import type { Regla } from '#lib/database.ts'
import { isFecha, shortDate } from '#lib/dates.ts'
import { whenAndWhere } from '#lib/messages.ts'
import { series as text } from '#lib/messages-later.ts'
import { datesOf, MAX_DATES, suggestedEnd } from '../series/series.ts'
import type { Draft, DraftName } from './draft-rules.ts'

type RepeatFieldsProps = {
  draft: Draft
  errors: FieldErrors<DraftName>
  onChange: (draft: Draft) => void
}

const RULES = Object.entries(whenAndWhere.repeats)

/** How a plan repeats, and until when. */
export function RepeatFields({ draft, errors, onChange }: RepeatFieldsProps) {
  const { fecha, regla, limite } = draft
  const choose = (regla: Regla | '') =>
    onChange({
      ...draft,
      regla,
      limite: regla && isFecha(fecha) ? suggestedEnd(fecha, regla) : '',
    })
  return (
    <>
      <Field label={text.repeats} suffix={<ChevronDown aria-hidden="true" />}>
        {(control) => (
          <select
            {...control}
            name="regla"
            value={regla}
            onChange={({ target }) => choose(target.value as Regla | '')}
          >
            <option value="">{text.once}</option>
            {RULES.map(([rule, words]) => (
              <option key={rule} value={rule}>
                {words}
              </option>
            ))}
          </select>
        )}
      </Field>
      {regla ? (
        <Field label={text.until} error={errors.limite} hint={hintOf(draft)}>
          {(control) => (
            <input
              {...control}
              name="limite"
              type="date"
              required
              min={fecha || undefined}
              max="9999-12-31"
              value={limite}
              onChange={({ target }) => onChange({ ...draft, limite: target.value })}
            />
          )}
        </Field>
      ) : null}
    </>
  )
}

/** «12 fechas, hasta el dom 28 feb» */
function hintOf({ fecha, regla, limite }: Draft): string | undefined {
  if (!regla || !isFecha(fecha) || !isFecha(limite)) return undefined
  const dates = datesOf(fecha, regla, limite)
  const last = dates.at(-1)
  if (!last || dates.length > MAX_DATES) return undefined
  return dates.length === 1 ? text.never : text.dates(dates.length, shortDate(last))
}
