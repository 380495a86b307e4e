import { useQueryClient } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '#components/button.tsx'
import { Field } from '#components/field.tsx'
import { useReadOnly } from '#components/read-only.tsx'
import { useFieldErrors } from '#hooks/use-field-errors.ts'
import { auth, rules } from '#lib/messages.ts'
import { account as text } from '#lib/messages-later.ts'
import { notify, serverSentence } from '#lib/notify.ts'
import { plainLine } from '#lib/plain-text.ts'
import { supabase } from '#lib/supabase.ts'
import { profileKey } from './use-profile.ts'

const MAX_NAME = 60

async function saveName(userId: string, nombre: string): Promise<void> {
  const { data, error } = await supabase
    .from('profiles')
    .update({ nombre })
    .eq('id', userId)
    .select('id')
  if (error) throw error
  if (data.length === 0) throw new Error()
}

/** The name that the partner sees. */
export function NameForm({ userId, nombre }: { userId: string; nombre: string }) {
  const cache = useQueryClient()
  const readOnly = useReadOnly()
  const { errors, report, clear } = useFieldErrors<'nombre'>()
  const [value, setValue] = useState(nombre)
  const [busy, setBusy] = useState(false)

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const wanted = plainLine(value)
    const found = wanted === '' ? { nombre: rules.nameRequired } : {}
    if (busy || readOnly.title || !report(event.currentTarget, found)) return
    setBusy(true)
    try {
      await saveName(userId, wanted)
      notify.success(text.nameSaved)
      await cache.invalidateQueries({ queryKey: profileKey(userId) })
    } catch (error) {
      notify.error(serverSentence(error))
    } finally {
      setBusy(false)
    }
  }

  return (
    <form noValidate onSubmit={submit}>
      <Field label={auth.name} error={errors.nombre}>
        {(control) => (
          <input
            {...control}
            name="nombre"
            required
            dir="auto"
            maxLength={MAX_NAME}
            autoComplete="name"
            value={value}
            onChange={(event) => {
              setValue(event.target.value)
              clear()
            }}
          />
        )}
      </Field>
      <Button {...readOnly} type="submit" busy={busy} icon={<Check />}>
        {text.saveName}
      </Button>
    </form>
  )
}
