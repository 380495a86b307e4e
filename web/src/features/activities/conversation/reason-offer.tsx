import { useMutation, useQueryClient } from '@tanstack/react-query'
import { conversation as text } from '#lib/messages.ts'
import { sayReason } from '#lib/messages-later.ts'
import { notify, serverSentence } from '#lib/notify.ts'
import { randomId } from '#lib/uuid.ts'
import { CommentForm } from './comment-form.tsx'
import { commentsKey } from './comments-key.ts'
import styles from './conversation.module.css'
import { comment } from './conversation-api.ts'

type ReasonOfferProps = { plan: string; title: string; userId: string; onDone: () => void }

/** Asks for a reason after a rejection, which is stored already. */
export default function ReasonOffer({ plan, title, userId, onDone }: ReasonOfferProps) {
  const cache = useQueryClient()
  const send = useMutation({
    mutationFn: (texto: string) => comment(plan, { id: randomId(), texto, motivo: true }),
    onSuccess: () => {
      notify.success(sayReason.sent)
      onDone()
    },
    onError: (error) => notify.error(serverSentence(error)),
    onSettled: () => cache.invalidateQueries({ queryKey: commentsKey(userId) }),
  })
  return (
    <section className={styles.offer} aria-label={`${text.why} ${title}`}>
      <p className={styles.question}>{text.why}</p>
      <CommentForm
        label={sayReason.label}
        submit={sayReason.send}
        busy={send.isPending}
        onSend={(texto) => send.mutate(texto)}
        decline={{ label: sayReason.notNow, run: onDone }}
      />
    </section>
  )
}
