import { type ChangeEvent, useCallback, useState } from 'react'

export type FieldErrors<Name extends string> = Partial<Record<Name, string>>

/** Validation errors of a form's fields. `report` shows them, focuses the first invalid field, and returns validity. */
export function useFieldErrors<Name extends string>() {
  const [errors, setErrors] = useState<FieldErrors<Name>>({})

  const report = useCallback((form: HTMLFormElement, found: FieldErrors<Name>): boolean => {
    setErrors(found)
    const bad = Array.from(form.elements).find(
      (control): control is HTMLInputElement =>
        control instanceof HTMLElement && (control.getAttribute('name') ?? '') in found,
    )
    bad?.focus()
    return bad === undefined
  }, [])

  const clear = useCallback(
    (name?: Name) =>
      setErrors((before) => {
        if (!name) return {}
        if (!(name in before)) return before
        const { [name]: _gone, ...rest } = before
        return rest as FieldErrors<Name>
      }),
    [],
  )

  return { errors, report, clear }
}

/** A form's texts with their errors; `bind` gives a control its name, value and handler of changes. */
export function useFormFields<Name extends string>(initial: Record<Name, string>) {
  const [values, setValues] = useState(initial)
  const { errors, report, clear } = useFieldErrors<Name>()

  const bind = (name: Name) => ({
    name,
    value: values[name],
    onChange: ({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => {
      setValues({ ...values, [name]: target.value })
      clear(name)
    },
  })

  return { values, bind, errors, report }
}
