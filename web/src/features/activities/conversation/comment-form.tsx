import { Send } from 'lucide-react'
import { type FormEvent, type KeyboardEvent, useId, useState } from 'react'
import { Button } from '#components/button.tsx'
import { useReadOnly } from '#components/read-only.tsx'
import { plainText } from '#lib/plain-text.ts'
import styles from './conversation.module.css'
import { MAX_COMMENT } from './conversation-api.ts'

type CommentFormProps = {
  label: string
  submit: string
  busy?: boolean
  onSend: (texto: string) => void
  /** «Ahora no», where there is something to decline. */
  decline?: { label: string; run: () => void }
}

/** A few lines of text, sent by its button or Ctrl and Enter. */
export function CommentForm({ label, submit, busy = false, onSend, decline }: CommentFormProps) {
  const id = useId()
  const readOnly = useReadOnly()
  const [text, setText] = useState('')
  const send = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault()
    const texto = plainText(text)
    if (busy || readOnly.title || texto === '') return
    setText('')
    onSend(texto)
  }
  return (
    <form className={styles.form} onSubmit={send}>
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <textarea
        id={id}
        className={styles.input}
        rows={2}
        dir="auto"
        maxLength={MAX_COMMENT}
        placeholder={label}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send(event)
        }}
      />
      <div className={styles.buttons}>
        {decline ? (
          <Button variant="quiet" onClick={decline.run}>
            {decline.label}
          </Button>
        ) : null}
        <Button {...readOnly} type="submit" busy={busy} icon={<Send />}>
          {submit}
        </Button>
      </div>
    </form>
  )
}
