import { useMutation, useQueryClient } from '@tanstack/react-query'
import { CalendarHeart, Check, Pencil, Trash2 } from 'lucide-react'
import { type FormEvent, use, useEffect, useRef, useState } from 'react'
import { Button } from '#components/button.tsx'
import { Field } from '#components/field.tsx'
import { useReadOnly } from '#components/read-only.tsx'
import { useFormFields } from '#hooks/use-field-errors.ts'
import { useFocusBack } from '#hooks/use-focus-back.ts'
import { isFecha, longDate } from '#lib/dates.ts'
import { activities, deletion, editing, product, rules } from '#lib/messages.ts'
import { activityForm, specialDaysForm as text } from '#lib/messages-later.ts'
import { notify, serverSentence } from '#lib/notify.ts'
import { plainLine } from '#lib/plain-text.ts'
import { randomId } from '#lib/uuid.ts'
import { deleteSpecialDay, MAX_TITLE, saveSpecialDay, specialKey } from './api.ts'
import styles from './special-days.module.css'
import type { SpecialDay } from './special-days.ts'
import { SpecialDays } from './special-days-context.tsx'

/** The couple's special days, which both may add, change and delete. */
export function SpecialDaysEditor({ userId }: { userId: string }) {
  const cache = useQueryClient()
  const list = use(SpecialDays)
  const readOnly = useReadOnly()
  const [edited, setEdited] = useState<SpecialDay | null>(null)
  const add = useFocusBack(edited !== null)
  const reload = () => cache.invalidateQueries({ queryKey: specialKey(userId) })
  const failed = (error: Error) => notify.error(serverSentence(error))
  const close = () => setEdited(null)
  const shared = { onError: failed, onSettled: reload }
  const save = useMutation({ mutationFn: saveSpecialDay, onSuccess: close, ...shared })
  const recover = useMutation({
    mutationFn: saveSpecialDay,
    onSuccess: () => notify.success(text.recovered),
    ...shared,
  })
  const remove = useMutation({
    mutationFn: ({ id }: SpecialDay) => deleteSpecialDay(id),
    onSuccess: (_, day) => {
      close()
      notify.undoable(text.removed, deletion.undo, () => recover.mutate(day))
    },
    ...shared,
  })
  return (
    <div className={styles.list}>
      <ul>
        {list.map((day) => (
          <li key={day.id} className={styles.row}>
            <span className={styles.name}>
              <bdi>{day.titulo}</bdi> <span className={styles.date}>{longDate(day.fecha)}</span>
            </span>
            <Button
              {...readOnly}
              variant="quiet"
              aria-label={activities.named(editing.action, day.titulo)}
              icon={<Pencil />}
              onClick={() => setEdited(day)}
            >
              {editing.action}
            </Button>
            <Button
              {...readOnly}
              variant="quiet"
              aria-label={activities.named(activities.remove, day.titulo)}
              busy={remove.isPending && remove.variables.id === day.id}
              icon={<Trash2 />}
              onClick={() => remove.mutate(day)}
            >
              {activities.remove}
            </Button>
          </li>
        ))}
      </ul>
      {edited ? (
        <DayForm
          key={edited.id}
          day={edited}
          busy={save.isPending}
          onSave={(day) => save.mutate(day)}
          onCancel={close}
        />
      ) : (
        <div ref={add} className={styles.add}>
          <Button
            {...readOnly}
            icon={<CalendarHeart />}
            onClick={() => setEdited({ id: randomId(), titulo: '', fecha: '', cada_ano: true })}
          >
            {text.add}
          </Button>
        </div>
      )}
    </div>
  )
}

type DayFormProps = {
  day: SpecialDay
  busy: boolean
  onSave: (day: SpecialDay) => void
  onCancel: () => void
}

function DayForm({ day, busy, onSave, onCancel }: DayFormProps) {
  const { values, bind, errors, report } = useFormFields({ titulo: day.titulo, fecha: day.fecha })
  const [everyYear, setEveryYear] = useState(day.cada_ano)
  const first = useRef<HTMLInputElement>(null)

  // Nothing to clean up: the form opens with its first field focused.
  useEffect(() => first.current?.focus(), [])

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const titulo = plainLine(values.titulo)
    const found = {
      ...(titulo === '' ? { titulo: text.titleRequired } : {}),
      ...(isFecha(values.fecha) ? {} : { fecha: rules.dateRequired }),
    }
    if (busy || !report(event.currentTarget, found)) return
    onSave({ id: day.id, titulo, fecha: values.fecha, cada_ano: everyYear })
  }
  return (
    <form noValidate className={styles.form} onSubmit={submit}>
      <Field label={text.titulo} error={errors.titulo}>
        {(control) => (
          <input
            {...control}
            {...bind('titulo')}
            ref={first}
            required
            dir="auto"
            maxLength={MAX_TITLE}
            autoComplete="off"
          />
        )}
      </Field>
      <Field
        label={activityForm.fecha}
        error={errors.fecha}
        hint={isFecha(values.fecha) ? longDate(values.fecha) : undefined}
      >
        {(control) => (
          <input {...control} {...bind('fecha')} type="date" required max="9999-12-31" />
        )}
      </Field>
      <label className={styles.check}>
        <input
          type="checkbox"
          checked={everyYear}
          onChange={(event) => setEveryYear(event.target.checked)}
        />
        {text.everyYear}
      </label>
      <div className={styles.buttons}>
        <Button onClick={onCancel}>{product.cancel}</Button>
        <Button type="submit" variant="primary" busy={busy} icon={<Check />}>
          {text.save}
        </Button>
      </div>
    </form>
  )
}
