import { Check } from 'lucide-react'
import { type FormEvent, use, useEffect, useRef, useState } from 'react'
import { Button } from '#components/button.tsx'
import { Choices } from '#components/choices.tsx'
import { Field } from '#components/field.tsx'
import { People } from '#components/people.tsx'
import { useFormFields } from '#hooks/use-field-errors.ts'
import { product } from '#lib/messages.ts'
import { activityForm, budgetProblems, costs as text } from '#lib/messages-later.ts'
import { budgetText, parseBudget, toCents } from '#lib/money.ts'
import { HALF, type Payment } from './api.ts'
import styles from './costs.module.css'

type PaymentFormProps = {
  payment: Payment
  busy: boolean
  onSave: (payment: Payment) => void
  onCancel: () => void
}

type Name = 'importe' | 'parte'

const SHARINGS = [
  { value: true, label: text.inHalves },
  { value: false, label: text.otherShare },
]

/** How much, which of the two paid it, and how it is shared. */
export function PaymentForm({ payment, busy, onSave, onCancel }: PaymentFormProps) {
  const people = use(People)
  const { values, bind, errors, report } = useFormFields<Name>({
    importe: budgetText(payment.cents === 0 ? null : payment.cents / 100),
    parte: String(payment.parte),
  })
  const [payer, setPayer] = useState(payment.pagado_por)
  const [halves, setHalves] = useState(payment.parte === HALF)
  const first = useRef<HTMLInputElement>(null)

  // Nothing to clean up: the form opens with its first field focused.
  useEffect(() => first.current?.focus(), [])

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const amount = amountOf(values.importe)
    const parte = halves ? HALF : percentOf(values.parte)
    const found = {
      ...(typeof amount === 'number' ? {} : { importe: amount }),
      ...(parte === null ? { parte: text.badPercent } : {}),
    }
    if (busy || !report(event.currentTarget, found)) return
    if (typeof amount !== 'number' || parte === null) return
    onSave({ id: payment.id, cents: amount, pagado_por: payer, parte })
  }
  const payerName = people.find(({ id }) => id === payer)?.nombre ?? ''
  return (
    <form noValidate className={styles.form} onSubmit={submit}>
      <Field
        label={text.amount}
        error={errors.importe}
        suffix={<span>{activityForm.currency}</span>}
      >
        {(control) => (
          <input
            {...control}
            {...bind('importe')}
            ref={first}
            required
            inputMode="decimal"
            autoComplete="off"
            placeholder="0,00"
          />
        )}
      </Field>
      <Choices
        legend={text.who}
        name="pagado_por"
        options={people.map(({ id, nombre }) => ({ value: id, label: nombre }))}
        value={payer}
        onChange={setPayer}
      />
      <Choices
        legend={text.sharing}
        name="reparto"
        options={SHARINGS}
        value={halves}
        onChange={setHalves}
      />
      {halves ? null : (
        <Field label={text.shareOf(payerName)} error={errors.parte} suffix={<span>%</span>}>
          {(control) => (
            <input {...control} {...bind('parte')} inputMode="numeric" autoComplete="off" />
          )}
        </Field>
      )}
      <div className={styles.buttons}>
        <Button onClick={onCancel}>{product.cancel}</Button>
        <Button type="submit" variant="primary" busy={busy} icon={<Check />}>
          {text.save}
        </Button>
      </div>
    </form>
  )
}

/** Cents, or the field's error. */
function amountOf(typed: string): number | string {
  const read = parseBudget(typed)
  if (!read.ok) return read.reason === 'negative' ? text.noAmount : budgetProblems[read.reason]
  return read.value ? toCents(read.value) : text.noAmount
}

/** 0 to 100, whole. */
function percentOf(typed: string): number | null {
  const text = typed.trim().replace(/\s*%$/, '')
  return /^\d{1,3}$/.test(text) && Number(text) <= 100 ? Number(text) : null
}
