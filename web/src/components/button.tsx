import type { ComponentProps, MouseEvent, ReactNode } from 'react'
import styles from './button.module.css'
import { Spinner } from './spinner.tsx'

type ButtonVariant = 'primary' | 'accept' | 'reject' | 'danger' | 'outline' | 'quiet'

type ButtonProps = ComponentProps<'button'> & {
  variant?: ButtonVariant
  icon?: ReactNode
  /** Keeps label, width and focus, shows a spinner instead of the icon and ignores further presses. */
  busy?: boolean
}

/** Every button of the app but the day cells. */
export function Button({
  variant = 'outline',
  icon,
  busy = false,
  className = '',
  onClick,
  children,
  type = 'button',
  ...rest
}: ButtonProps) {
  const inert = busy || rest['aria-disabled'] === true || rest['aria-disabled'] === 'true'
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    if (inert) event.preventDefault()
    else onClick?.(event)
  }
  return (
    <button
      {...rest}
      type={type}
      className={`${styles.button} ${styles[variant]} ${children ? '' : styles.square} ${className}`}
      onClick={press}
      aria-busy={busy || undefined}
      aria-disabled={inert || undefined}
    >
      {busy ? <Spinner /> : icon}
      {children}
    </button>
  )
}

/** A button that reads as a link inside a sentence. */
export function TextButton({ className = '', type = 'button', ...rest }: ComponentProps<'button'>) {
  return <button {...rest} type={type} className={`${styles.text} ${className}`} />
}
