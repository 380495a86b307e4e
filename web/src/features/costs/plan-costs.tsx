import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { HandCoins, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '#components/button.tsx'
import { usePerson } from '#components/people.tsx'
import { useReadOnly } from '#components/read-only.tsx'
import { useFocusBack } from '#hooks/use-focus-back.ts'
import { activities, deletion, editing, product } from '#lib/messages.ts'
import { costs as text } from '#lib/messages-later.ts'
import { formatCents } from '#lib/money.ts'
import { notify, serverSentence } from '#lib/notify.ts'
import { randomId } from '#lib/uuid.ts'
import { costsKey, deletePayment, HALF, listPayments, type Payment, savePayment } from './api.ts'
import { Name } from './balance.tsx'
import styles from './costs.module.css'
import { PaymentForm } from './payment-form.tsx'

type PlanCostsProps = {
  plan: string
  userId: string
  /** Of a former couple: read-only. */
  closed: boolean
}

/** The payments of an accepted plan; both partners may add them. */
export default function PlanCosts({ plan, userId, closed }: PlanCostsProps) {
  const cache = useQueryClient()
  const readOnly = useReadOnly()
  const [edited, setEdited] = useState<Payment | null>(null)
  const add = useFocusBack(edited !== null)
  const list = useQuery({
    queryKey: [...costsKey(userId), plan],
    queryFn: ({ signal }) => listPayments(plan, signal),
    retry: 1,
  })
  const close = () => setEdited(null)
  const shared = {
    onError: (error: Error) => notify.error(serverSentence(error)),
    onSettled: () => cache.invalidateQueries({ queryKey: costsKey(userId) }),
  }
  const keep = (one: Payment) => savePayment(plan, one)
  const save = useMutation({ mutationFn: keep, onSuccess: close, ...shared })
  const recover = useMutation({
    mutationFn: keep,
    onSuccess: () => notify.success(text.recovered),
    ...shared,
  })
  const remove = useMutation({
    mutationFn: ({ id }: Payment) => deletePayment(id),
    onSuccess: (_, one) => {
      close()
      notify.undoable(text.removed, deletion.undo, () => recover.mutate(one))
    },
    ...shared,
  })
  if (list.isError)
    return (
      <p>
        {product.notLoaded} <Button onClick={() => void list.refetch()}>{product.retry}</Button>
      </p>
    )
  if (!list.data || (closed && list.data.length === 0)) return null
  const cents = list.data.reduce((sum, one) => sum + one.cents, 0)
  return (
    <section className={styles.costs} aria-label={text.title}>
      <h3 className={styles.heading}>{text.asked}</h3>
      {list.data.length === 0 ? null : (
        <>
          <ul className={styles.list}>
            {list.data.map((one) => (
              <li key={one.id} className={styles.row}>
                <p className={styles.what}>
                  <strong>{formatCents(one.cents)}</strong>{' '}
                  <span className={styles.how}>
                    {text.paidBy} <Name id={one.pagado_por} />, <Share of={one} />
                  </span>
                </p>
                {closed ? null : (
                  <PaymentActions
                    one={one}
                    onEdit={setEdited}
                    onRemove={remove.mutate}
                    busy={remove}
                  />
                )}
              </li>
            ))}
          </ul>
          <p className={styles.total}>
            {text.spent} <strong>{formatCents(cents)}</strong>
          </p>
        </>
      )}
      {closed ? null : edited ? (
        <PaymentForm
          key={edited.id}
          payment={edited}
          busy={save.isPending}
          onSave={save.mutate}
          onCancel={close}
        />
      ) : (
        <div ref={add}>
          <Button
            {...readOnly}
            icon={<HandCoins />}
            onClick={() => setEdited({ id: randomId(), pagado_por: userId, parte: HALF, cents: 0 })}
          >
            {text.add}
          </Button>
        </div>
      )}
    </section>
  )
}

/** «a medias», or how much of it is the payer's own. */
function Share({ of: { pagado_por, parte } }: { of: Payment }) {
  if (parte === HALF) return text.halves
  return (
    <>
      {text.percent(parte)} <Name id={pagado_por} />
    </>
  )
}

type PaymentActionsProps = {
  one: Payment
  onEdit: (one: Payment) => void
  onRemove: (one: Payment) => void
  busy: { isPending: boolean; variables: Payment | undefined }
}

function PaymentActions({ one, onEdit, onRemove, busy }: PaymentActionsProps) {
  const readOnly = useReadOnly()
  const payer = usePerson(one.pagado_por)
  const name = `${formatCents(one.cents)}, ${text.paidBy} ${payer?.nombre ?? ''}`
  return (
    <div className={styles.ways}>
      <Button
        {...readOnly}
        variant="quiet"
        aria-label={activities.named(editing.action, name)}
        icon={<Pencil />}
        onClick={() => onEdit(one)}
      >
        {editing.action}
      </Button>
      <Button
        {...readOnly}
        variant="quiet"
        aria-label={activities.named(activities.remove, name)}
        busy={busy.isPending && busy.variables?.id === one.id}
        icon={<Trash2 />}
        onClick={() => onRemove(one)}
      >
        {activities.remove}
      </Button>
    </div>
  )
}
