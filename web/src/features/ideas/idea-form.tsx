import { Check } from 'lucide-react'
import type { FormEvent } from 'react'
import { Button } from '#components/button.tsx'
import { DialogActions, DialogBody } from '#components/dialog-layout.tsx'
import { Field } from '#components/field.tsx'
import { type FieldErrors, useFormFields } from '#hooks/use-field-errors.ts'
import { product, rules } from '#lib/messages.ts'
import { activityForm, budgetProblems, ideas as text } from '#lib/messages-later.ts'
import { budgetText, parseBudget } from '#lib/money.ts'
import { plainLine, plainText } from '#lib/plain-text.ts'
import { type IdeaDraft, MAX_NOTE, MAX_TITLE } from './api.ts'
import styles from './ideas.module.css'

type IdeaFormProps = {
  idea: IdeaDraft
  busy: boolean
  onSave: (idea: IdeaDraft) => void
  onCancel: () => void
}

type Name = 'titulo' | 'nota' | 'presupuesto'

/** The three fields of an idea: those of a proposal without its date. */
export function IdeaForm({ idea, busy, onSave, onCancel }: IdeaFormProps) {
  const { values, bind, errors, report } = useFormFields<Name>({
    titulo: idea.titulo,
    nota: idea.nota ?? '',
    presupuesto: budgetText(idea.presupuesto),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const budget = parseBudget(values.presupuesto)
    const titulo = plainLine(values.titulo)
    const found: FieldErrors<Name> = {
      ...(titulo === '' ? { titulo: rules.titleRequired } : {}),
      ...(budget.ok ? {} : { presupuesto: budgetProblems[budget.reason] }),
    }
    if (busy || !report(event.currentTarget, found)) return
    onSave({
      id: idea.id,
      titulo,
      nota: plainText(values.nota) || null,
      presupuesto: budget.ok ? budget.value : null,
    })
  }
  return (
    <form noValidate className={styles.form} onSubmit={submit}>
      <DialogBody>
        <Field label={activityForm.titulo} error={errors.titulo}>
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
        <Field label={text.note} note={activityForm.optional}>
          {(control) => (
            <textarea {...control} {...bind('nota')} rows={3} dir="auto" maxLength={MAX_NOTE} />
          )}
        </Field>
        <Field
          label={activityForm.presupuesto}
          note={activityForm.optional}
          error={errors.presupuesto}
          suffix={<span>{activityForm.currency}</span>}
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
      </DialogBody>
      <DialogActions>
        <Button onClick={onCancel}>{product.cancel}</Button>
        <Button type="submit" variant="primary" busy={busy} icon={<Check />}>
          {text.save}
        </Button>
      </DialogActions>
    </form>
  )
}
