import { Search } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '#components/button.tsx'
import { Field } from '#components/field.tsx'
import { useFieldErrors } from '#hooks/use-field-errors.ts'
import { pairing, rules } from '#lib/messages.ts'
import { normalizeCode } from './code.ts'
import styles from './pairing-card.module.css'

type CodeFormProps = { busy: boolean; onLook: (codigo: string) => void }

/** A field for an invitation code; shows who invites before it is accepted. */
export function CodeForm({ busy, onLook }: CodeFormProps) {
  const { errors, report, clear } = useFieldErrors<'codigo'>()
  const [typed, setTyped] = useState('')

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const codigo = normalizeCode(typed)
    if (busy || !report(event.currentTarget, codigo ? {} : { codigo: rules.code })) return
    if (codigo) onLook(codigo)
  }

  return (
    <form noValidate onSubmit={submit} className={styles.form}>
      <Field label={pairing.code} error={errors.codigo}>
        {(control) => (
          <input
            {...control}
            name="codigo"
            required
            maxLength={20}
            placeholder="XXXX-XXXX"
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            value={typed}
            onChange={(event) => {
              setTyped(event.target.value)
              clear('codigo')
            }}
          />
        )}
      </Field>
      <Button type="submit" className={styles.create} busy={busy} icon={<Search />}>
        {pairing.look}
      </Button>
    </form>
  )
}
