/** The rules of section 5 for the two auth modes. The markup carries the constraints; this reads them. */
import type { FieldErrors } from '#hooks/use-field-errors.ts'
import { rules } from '#lib/messages.ts'
import { plainLine } from '#lib/plain-text.ts'

export const MIN_PASSWORD = 6
export const MAX_NAME = 60

export type CredentialName = 'nombre' | 'email' | 'password'

const field = (form: HTMLFormElement, name: CredentialName) =>
  form.elements.namedItem(name) as HTMLInputElement | null

/** What is wrong with the fields that the form shows, in their order. */
export function findCredentialErrors(form: HTMLFormElement): FieldErrors<CredentialName> {
  const errors: FieldErrors<CredentialName> = {}
  const nombre = field(form, 'nombre')
  if (nombre && plainLine(nombre.value) === '') errors.nombre = rules.nameRequired
  const email = emailError(form)
  if (email) errors.email = email
  const password = field(form, 'password')
  if (password && password.value.length < MIN_PASSWORD) errors.password = rules.password
  return errors
}

export function emailError(form: HTMLFormElement): string | null {
  const email = field(form, 'email')
  return email && (email.value.trim() === '' || !email.validity.valid) ? rules.email : null
}
