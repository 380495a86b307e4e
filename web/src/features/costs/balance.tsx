import { usePerson } from '#components/people.tsx'
import { conversation } from '#lib/messages.ts'
import { costs as text } from '#lib/messages-later.ts'
import { formatCents } from '#lib/money.ts'

type Debt = { de: string | null; a: string | null; importe: number }

/** One of the two, by name. */
export function Name({ id }: { id: string }) {
  const person = usePerson(id)
  return <bdi>{person?.nombre ?? conversation.partner}</bdi>
}

/** «Luis debe 20,00 € a Ana», «debía» of what is settled, or that nobody owes anything. */
export function Balance({ de, a, importe, settled = false }: Debt & { settled?: boolean }) {
  if (de === null || a === null) return text.even
  return (
    <>
      <Name id={de} /> {settled ? text.owed : text.owes} {formatCents(importe)} {text.to}{' '}
      <Name id={a} />
    </>
  )
}
