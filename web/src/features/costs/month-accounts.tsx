import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { use } from 'react'
import { Button } from '#components/button.tsx'
import { People } from '#components/people.tsx'
import { useReadOnly } from '#components/read-only.tsx'
import { dateOf, dayOf, type Mes, shortMonth } from '#lib/dates.ts'
import { product } from '#lib/messages.ts'
import { costs as text } from '#lib/messages-later.ts'
import { formatCents } from '#lib/money.ts'
import { notify, serverSentence } from '#lib/notify.ts'
import { randomId } from '#lib/uuid.ts'
import { accountsOf, annul, costsKey, settle } from './api.ts'
import { Balance } from './balance.tsx'
import styles from './costs.module.css'

/** What a month really cost, who owes whom, and the button to settle it. */
export default function MonthAccounts({ mes }: { mes: Mes }) {
  const userId = use(People)[0]?.id ?? ''
  const cache = useQueryClient()
  const readOnly = useReadOnly()
  const queryKey = [...costsKey(userId), 'mes', mes]
  const accounts = useQuery({
    queryKey,
    queryFn: ({ signal }) => accountsOf(mes, signal),
    retry: 1,
  })
  const shared = {
    onError: (error: Error) => notify.error(serverSentence(error)),
    onSettled: () => cache.invalidateQueries({ queryKey: costsKey(userId) }),
  }
  const close = useMutation({
    mutationFn: (cents: number) => settle(mes, { id: randomId(), cents }),
    ...shared,
  })
  const open = useMutation({ mutationFn: annul, ...shared })
  if (accounts.isError)
    return (
      <p>
        {product.notLoaded} <Button onClick={() => void accounts.refetch()}>{product.retry}</Button>
      </p>
    )
  if (!accounts.data) return <p className={styles.how}>{product.loading}</p>
  const { gastado, saldado, importe } = accounts.data
  return (
    <div className={styles.month}>
      <p>
        {text.spent} <strong>{formatCents(gastado)}</strong>
      </p>
      {saldado ? (
        <>
          <p>
            {text.settledOn(dayAndMonth(saldado.creado_en))}{' '}
            <span className={styles.how}>
              (<Balance {...saldado} settled />)
            </span>
          </p>
          <Button
            {...readOnly}
            variant="quiet"
            busy={open.isPending}
            onClick={() => open.mutate(saldado.id)}
          >
            {text.annul}
          </Button>
        </>
      ) : (
        <>
          <p>{gastado === 0 ? text.nothing : <Balance {...accounts.data} />}</p>
          {importe > 0 ? (
            <Button {...readOnly} busy={close.isPending} onClick={() => close.mutate(importe)}>
              {text.settle}
            </Button>
          ) : null}
        </>
      )}
    </div>
  )
}

/** «3 dic», of this device. */
function dayAndMonth(moment: string): string {
  const fecha = dateOf(new Date(moment))
  return `${dayOf(fecha)} ${shortMonth(fecha)}`
}
